#include "generate.h"

#include <algorithm>
#include <utility>

namespace tally::trace {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Maker {
  std::mt19937 random;
  Layout layout;

  unsigned below(unsigned n) { return random() % n; }
  template <typename... T>
  std::string one_of(T... options) {
    const std::string all[] = {options...};
    return all[below(sizeof...(T))];
  }

  std::string quoted(const std::string& text) { return '"' + text + '"'; }

  std::string time(unsigned most) {
    const std::string whole = std::to_string(below(most));
    switch (below(4)) {
      case 0:
        return whole;
      case 1:
        return whole + "." + std::to_string(below(10));
      default: {
        const std::string decimals = std::to_string(1000 + below(1000)).substr(1);
        return whole + "." + decimals;
      }
    }
  }

  std::string name() {
    return one_of("volta_sgemm_64x64_tn", "ncclKernel_AllReduce", "void f<int, {lambda(int)#1}>(int)", "aten::conv2d",
                  "a \\\"quoted\\\" name", "back\\\\slash\\\\", "{ brace", "}{", "\xC3\xBC\xE2\x82\xAC", "RCCL x", "",
                  "cutlass::Kernel<wgrad>", "\\u00e9\\ud83d\\ude00", "ends in \\\\", "[1, {\\\"ph\\\": \\\"X\\\"}]");
  }

  std::string object(Fields fields, bool shuffle) {
    if (layout == Layout::sorted_keys) std::ranges::sort(fields);
    if (shuffle && layout == Layout::shuffled) std::ranges::shuffle(fields, random);
    const bool lines = layout == Layout::indented;
    const std::string colon = layout == Layout::shuffled && below(4) == 0 ? "\t: "
                              : layout == Layout::one_line                ? ":"
                                                                          : ": ";
    std::string out = lines ? "{\n" : layout == Layout::kineto ? "{\n    " : "{";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i != 0) out += lines ? ",\n" : layout == Layout::one_line ? "," : ", ";
      out += (lines ? "      " : "") + quoted(fields[i].first) + colon + fields[i].second;
    }
    return out + (lines ? "\n    }" : "}");
  }

  std::string event() {
    const std::string cat = one_of("kernel", "kernel", "Kernel", "gpu_memcpy", "Memset", "gpu_memset", "cuda_runtime",
                                   "cpu_op", "python_function", "gpu_user_annotation", "ac2g", "Operator");
    const std::string phase = cat == "ac2g" ? "f" : one_of("X", "X", "X", "X", "X", "X", "X", "B");
    if (below(25) == 0)
      return object({{"name", quoted("process_labels")},
                     {"ph", quoted("M")},
                     {"pid", std::to_string(below(4))},
                     {"tid", "0"},
                     {"args", object({{"labels", quoted(one_of("GPU 0", "CPU"))}}, false)}},
                    true);
    Fields args = {{"External id", std::to_string(below(100))}, {"correlation", std::to_string(below(50))}};
    if (below(3) != 0) args.emplace_back("device", std::to_string(below(3)));
    if (below(2) != 0) args.emplace_back("stream", std::to_string(7 + below(3)));
    if (below(3) == 0) args.emplace_back("Input Dims", "[[1, 2], [], [[3]]]");
    if (below(5) == 0) args.emplace_back("Call stack", quoted("x.py(1): <module>;{" + name() + "}"));
    if (below(5) == 0) args.emplace_back("nested", object({{"device", "9"}, {"ph", quoted("i")}}, false));
    if (below(4) == 0) args.emplace_back("est. achieved occupancy %", std::to_string(below(101)));
    Fields fields = {{"ph", quoted(phase)},
                     {"cat", quoted(cat)},
                     {"name", quoted(name())},
                     {"pid", std::to_string(below(4))},
                     {"tid", std::to_string(below(3))},
                     {"ts", time(3000)}};
    if (below(20) != 0) fields.emplace_back("dur", time(200));
    if (below(20) != 0) fields.emplace_back("args", object(args, true));
    return object(fields, true);
  }
};

}  // namespace

Generated generate(std::uint32_t seed, int events, Layout layout) {
  Maker maker{std::mt19937(seed), layout};
  Generated out;
  for (int i = 0; i < events; ++i) out.events.push_back(maker.event());
  const bool bare = layout == Layout::bare_array;
  const bool late = maker.below(2) == 0;
  const std::string properties =
      R"("deviceProperties": [{"id": 0, "name": "A \" { B"}], "INFO": ["x {", "traceEvents", "]"], "ENV": {"A": {"ph": "X"}})";
  out.text = bare ? "[" : late ? "{" + properties + ", \"traceEvents\": [\n  " : "\n{\"traceEvents\": [";
  for (int i = 0; i < events; ++i) out.text += (i != 0 ? ",\n  " : "") + out.events[static_cast<std::size_t>(i)];
  out.text += bare ? "]" : late ? "]}\n" : "], " + properties + "}";
  return out;
}

}  // namespace tally::trace
