// Known shapes of calls for the Callgrind reader's tests: recursion, a cycle of two, virtual calls, inlined library
// code, threads.
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

[[gnu::noinline]] int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

[[gnu::noinline]] bool is_odd(int n);
[[gnu::noinline]] bool is_even(int n) { return n == 0 || is_odd(n - 1); }
bool is_odd(int n) { return n != 0 && is_even(n - 1); }

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual int area(int side) const = 0;
};
struct Square : Shape {
  [[nodiscard]] int area(int side) const override { return side * side; }
};

}  // namespace

int main() {
  std::vector<std::string> words;
  words.reserve(300);
  for (int i = 0; i < 300; ++i) words.push_back("word" + std::to_string(i * 7919 % 300));
  std::ranges::sort(words);
  const Square square;
  const Shape& shape = square;
  int sum = 0;
  std::thread helper([&sum] { sum = fibonacci(12); });
  helper.join();
  for (int i = 0; i < 50; ++i) sum += shape.area(i);
  std::printf("%d %d %d %s\n", fibonacci(14), is_even(99), sum, words[3].c_str());
}
