#include "definition/toolchain.h"

#include "base/text.h"

namespace tally {
namespace {

// Warm-up code runs in the host, before it forks; under Valgrind twice, and only the second time counted. It may start
// no thread and no OpenMP team, because neither survives a fork. Checked with PyTorch 1.13: one task before and one
// after, autograd included.
constexpr const char* kCppWarmUp =
    R"(std::vector<int> values;
for (int i = 0; i < 1000; ++i) values.push_back((i * 7919) % 1000);
std::sort(values.begin(), values.end());
std::unordered_map<std::string, int> names;
for (int value : values) names[std::to_string(value)] += value;
std::ostringstream out;
for (const auto& [name, count] : names) out << name << count;
tally::keep(out.str().size());)";

constexpr const char* kPythonWarmUp =
    R"(class Point:
    def __init__(self, x):
        self.x = x
for _ in range(20):
    values = sorted((i * 7919) % 100 for i in range(100))
    names = {str(value): Point(value) for value in values}
    text = ",".join(f"{name}{point.x}" for name, point in names.items())
    try:
        names["none"]
    except KeyError:
        pass)";

constexpr const char* kTorchCppWarmUp =
    R"WARM(at::set_num_threads(1);
for (int i = 0; i < 20; ++i) {
  auto x = torch::rand({4, 4});
  auto w = torch::rand({4, 4}, torch::requires_grad());
  x += 1.0;
  x.index_put_({0}, 1.0);
  auto v = x.index({torch::indexing::Slice(0, 2)}).transpose(0, 1).reshape({-1});
  auto y = (torch::mm(x, w).relu() * w + v.sum()).sum();
  y.backward();
}
// TorchScript: loading, the profiling executor's passes, and its differentiation. Without this each such case took 4 s to
// set up under Valgrind, nearly all of it translating these; with it, half a second.
static const std::string saved = [] {
  torch::jit::Module model("model");
  model.define(R"(
def forward(self, x, w):
    y = torch.relu(x * w) + torch.mm(x, w)
    return y.sum()
)");
  std::ostringstream file;
  model.save(file);
  return file.str();
}();
std::istringstream file(saved);
auto loaded = torch::jit::load(file);
for (int i = 0; i < 4; ++i) {
  std::vector<torch::jit::IValue> inputs{torch::rand({4, 4}), torch::rand({4, 4}, torch::requires_grad())};
  loaded.forward(inputs).toTensor().backward();
})WARM";

constexpr const char* kTorchPythonWarmUp =
    R"(torch.set_num_threads(1)
for _ in range(20):
    x = torch.rand((4, 4))
    w = torch.rand((4, 4), requires_grad=True)
    x += 1.0
    x[0] = 1.0
    v = x[0:2].transpose(0, 1).reshape(-1)
    y = (torch.mm(x, w).relu() * w + v.sum()).sum()
    y.backward()
import io
global saved
if "saved" not in globals():
    model = torch.jit.ScriptModule()
    model.define("""
def forward(self, x, w):
    y = torch.relu(x * w) + torch.mm(x, w)
    return y.sum()
""")
    file = io.BytesIO()
    torch.jit.save(model, file)
    saved = file.getvalue()
loaded = torch.jit.load(io.BytesIO(saved))
for _ in range(4):
    loaded(torch.rand((4, 4)), torch.rand((4, 4), requires_grad=True)).backward())";

Toolchain cpp_toolchain() {
  Toolchain toolchain;
  toolchain.name = "cpp";
  // Measured on this design's machine: clang 19 with a precompiled prelude builds a statement 3.5 to 13 times faster
  // than g++ 12.
  toolchain.cxx = {"clang++-19", "clang++", "g++", "c++"};
  toolchain.flags = {"-O2", "-std=c++20"};
  toolchain.prelude = {"algorithm",     "any",          "array",      "atomic",  "charconv",        "chrono",
                       "cmath",         "cstdint",      "cstdio",     "cstdlib", "cstring",         "deque",
                       "forward_list",  "fstream",      "functional", "iomanip", "iostream",        "iterator",
                       "limits",        "list",         "map",        "memory",  "memory_resource", "mutex",
                       "numeric",       "optional",     "queue",      "random",  "ranges",          "regex",
                       "set",           "shared_mutex", "span",       "sstream", "stack",           "stdexcept",
                       "string",        "string_view",  "thread",     "tuple",   "type_traits",     "unordered_map",
                       "unordered_set", "utility",      "variant",    "vector"};
  toolchain.python = {"python3", "/usr/bin/python3"};
  toolchain.warm_up = {.py = kPythonWarmUp, .cpp = kCppWarmUp};
  return toolchain;
}

Toolchain torch_toolchain() {
  Toolchain toolchain;
  toolchain.name = "torch";
  toolchain.cxx = {"clang++-19", "clang++", "g++", "c++"};
  // C++17 is what PyTorch 1.13's headers are written for.
  toolchain.flags = {"-O2", "-std=c++17"};
  toolchain.include = {"/usr/include/torch/csrc/api/include"};
  toolchain.link = {"-ltorch", "-ltorch_cpu", "-lc10"};
  toolchain.prelude = {"torch/torch.h", "torch/script.h"};
  toolchain.preload = {"libtorch.so", "libtorch_cpu.so", "libc10.so"};
  toolchain.subject = {"libtorch.so", "libtorch_cpu.so", "libc10.so"};
  toolchain.python = {"python3", "/usr/bin/python3"};
  toolchain.requires_modules = {"torch"};
  // Only the processor's generator: the others are seeded lazily, and telling them costs a stack trace in Python.
  // Without this each process draws its seed from the system.
  // In C++ apart: manual_seed is a static function of a header, inlined where a file calls it once, so that a case that
  // is compiled alone had another stack frame, and memcmp another path near the end of a page.
  toolchain.seed = {.py = "torch.default_generator.manual_seed(0)",
                    .cpp = "[]() __attribute__((noinline)) { torch::manual_seed(0); }();"};
  toolchain.set_threads = {.py = "torch.set_num_threads(${threads})", .cpp = "at::set_num_threads(${threads});"};
  toolchain.warm_up = {.py = kTorchPythonWarmUp, .cpp = kTorchCppWarmUp};
  return toolchain;
}

}  // namespace

std::vector<ToolchainCode> before_setup(const Toolchain& toolchain, Language language, int threads) {
  const auto side = [&](const PerLanguage& code) { return language == Language::cpp ? code.cpp : code.py; };
  std::vector<ToolchainCode> code = {
      {"seed", side(toolchain.seed)},
      {"set_threads", replace_all(side(toolchain.set_threads), "${threads}", std::to_string(threads))},
  };
  std::erase_if(code, [](const ToolchainCode& one) { return one.text.empty(); });
  return code;
}

std::vector<Toolchain> builtin_toolchains() {
  // One built-in serves both languages under two names, so that a suite says what it is about.
  Toolchain cpp = cpp_toolchain();
  Toolchain python = cpp;
  python.name = "python";
  return {std::move(cpp), std::move(python), torch_toolchain()};
}

}  // namespace tally
