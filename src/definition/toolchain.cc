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

// Its second run meets an operation for the first time, because what a first use goes through (finding the operator,
// parsing its signatures for Python) is what every case goes through; and a tensor of another shape, because oneDNN
// keeps what it has generated for one. Operations of which activations, joins and losses are made: with them all case
// children of the standard suite together translate 246,000 blocks, without them 450,000. TorchScript: loading a module
// with parameters and constants from a file, the profiling executor's passes, and its differentiation. Without this
// each such case took 4 s to set up under Valgrind, nearly all of it translating these.
constexpr const char* kTorchCppWarmUp =
    R"WARM(at::set_num_threads(1);
torch::manual_seed(0);
static int run = 0;
auto x = run++ == 0 ? torch::zeros({4, 4}) : torch::ones({4, 4});
for (int i = 0; i < 20; ++i) {
  auto w = torch::rand({4, 4}, torch::requires_grad());
  x += 1.0;
  x.index_put_({0}, 1.0);
  auto v = x.index({torch::indexing::Slice(0, 2)}).transpose(0, 1).reshape({-1});
  auto y = (torch::mm(x, w).relu() * w + v.sum()).sum();
  y.backward();
}
for (int i = 0; i < 2; ++i) {
  auto w = torch::rand({2, 3 + run}, torch::requires_grad());
  auto slope = torch::rand({1}, torch::requires_grad());
  auto weight = torch::rand({12 + 4 * run}, torch::requires_grad());
  auto all = torch::cat({torch::gelu(w * 2.0), torch::prelu(w, slope)});
  auto unit = torch::nn::functional::normalize(all, torch::nn::functional::NormalizeFuncOptions().dim(0));
  torch::dot(unit.reshape({-1}), weight).backward();
}
static const std::string file = [] {
  torch::jit::Module model("model");
  model.type()->addConstant("features", 4);
  model.register_parameter("weight", torch::rand({4, 4}), false);
  model.define(R"(
def forward(self, x, w):
    y = torch.relu(x * w) + torch.mm(x, self.weight)
    return y.sum()
)");
  const std::string name = "/proc/self/fd/" + std::to_string(memfd_create("warm-up", 0));
  model.save(name);
  return name;
}();
auto loaded = torch::jit::load(file);
for (int i = 0; i < 4; ++i) {
  std::vector<torch::jit::IValue> inputs{torch::rand({4, 4}), torch::rand({4, 4}, torch::requires_grad())};
  loaded.forward(inputs).toTensor().backward();
})WARM";

constexpr const char* kTorchPythonWarmUp =
    R"(import __main__, os
torch.set_num_threads(1)
torch.default_generator.manual_seed(0)
first = not hasattr(__main__, "file")
x = torch.zeros((4, 4)) if first else torch.ones((4, 4))
for _ in range(20):
    w = torch.rand((4, 4), requires_grad=True)
    x += 1.0
    x[0] = 1.0
    v = x[0:2].transpose(0, 1).reshape(-1)
    y = (torch.mm(x, w).relu() * w + v.sum()).sum()
    y.backward()
for _ in range(2):
    w = torch.rand((2, 4 if first else 5), requires_grad=True)
    slope = torch.rand((1,), requires_grad=True)
    weight = torch.rand((w.numel() * 2,), requires_grad=True)
    both = torch.cat([torch.nn.functional.gelu(w * 2.0), torch.nn.functional.prelu(w, slope)])
    torch.dot(torch.nn.functional.normalize(both, dim=0).reshape(-1), weight).backward()
if first:
    model = torch.jit.script(torch.nn.Linear(4, 4))
    model.define("""
def score(self, x, w):
    y = torch.relu(x * w) + torch.mm(x, self.weight)
    return y.sum()
""")
    __main__.file = f"/proc/self/fd/{os.memfd_create('warm-up', 0)}"
    torch.jit.save(model, __main__.file)
loaded = torch.jit.load(__main__.file)
for _ in range(4):
    loaded.score(torch.rand((4, 4)), torch.rand((4, 4), requires_grad=True)).backward())";

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
  toolchain.prelude = {"sys/mman.h", "torch/torch.h", "torch/script.h"};
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
  // A forked process makes a new autograd engine when it first asks for it: 1,047 instructions of its first region, and
  // a look at the clock. This asks for it before the region.
  toolchain.before_region.py = "torch.autograd.Variable._execution_engine.is_checkpoint_valid()";
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
