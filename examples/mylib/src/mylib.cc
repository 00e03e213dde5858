#include "mylib/mylib.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace mylib {
namespace {

int threads = 1;

}  // namespace

void set_threads(int count) { threads = std::max(count, 1); }

double parallel_sum(const std::vector<double>& values) {
  const std::size_t parts = static_cast<std::size_t>(threads);
  const std::size_t step = (values.size() + parts - 1) / parts;
  std::vector<double> sums(parts);
  const auto add = [&](std::size_t part) {
    const std::size_t from = std::min(part * step, values.size());
    const std::size_t to = std::min(from + step, values.size());
    sums[part] = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                                 values.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
  };
  std::vector<std::thread> workers;
  for (std::size_t part = 1; part < parts; ++part) workers.emplace_back(add, part);
  add(0);
  for (std::thread& worker : workers) worker.join();
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace mylib
