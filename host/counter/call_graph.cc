#include "call_graph.h"

#include "index.h"
#include "protocol/followed_calls.h"
#include "reserve.h"

namespace tally::counter {

namespace {

constexpr UInt kMostFunctions = 1U << 22U;
constexpr UInt kMostArcs = 1U << 24U;

Function* g_functions = nullptr;
UInt g_function_count = 0;
Arc* g_arcs = nullptr;
UInt g_arc_count = 0;

constinit Index g_function_index;
constinit Index g_arc_index;

ULong key_of(const HChar* object, const HChar* name) {
  return (reinterpret_cast<Addr>(object) * 0xff51'afd7'ed55'8ccdULL) ^ reinterpret_cast<Addr>(name);
}

/// Of one dump: the calls that each function makes.
class CallsByCaller {
 public:
  CallsByCaller()
      : first_(static_cast<UInt*>(VG_(calloc)("tally.first", g_function_count, sizeof(UInt)))),
        next_(static_cast<UInt*>(VG_(calloc)("tally.next", g_arc_count + 1, sizeof(UInt)))) {
    for (UInt arc = g_arc_count; arc > 0; --arc) {
      if (g_arcs[arc].calls == 0 && g_arcs[arc].cost == 0) continue;
      next_[arc] = first_[g_arcs[arc].caller];
      first_[g_arcs[arc].caller] = arc;
    }
  }
  CallsByCaller(const CallsByCaller&) = delete;
  CallsByCaller& operator=(const CallsByCaller&) = delete;
  ~CallsByCaller() {
    VG_(free)(first_);
    VG_(free)(next_);
  }

  /// 0: none.
  [[nodiscard]] UInt first_of(UInt function) const { return first_[function]; }
  [[nodiscard]] UInt after(UInt arc) const { return next_[arc]; }

 private:
  UInt* first_;
  UInt* next_;
};

void write(VgFile* file, const Arc& arc) {
  const Function& callee = g_functions[arc.callee];
  VG_(fprintf)(file, "cob=%s\ncfn=%s\ncalls=%llu 0\n0 %llu\n", callee.object, callee.name, arc.calls, arc.cost);
}

}  // namespace

void reserve_call_graph() {
  g_functions = reserve<Function>(kMostFunctions);
  g_arcs = reserve<Arc>(kMostArcs);
  g_functions[g_function_count++] = {"", protocol::kOutside};
}

bool has_call_graph() { return g_functions != nullptr; }

UInt function_with(const HChar* object, const HChar* name, Bool is_nameless) {
  for (ULong key = key_of(object, name);; ++key) {
    UInt& number = g_function_index.at(key);
    if (number == 0) {
      if (g_function_count == kMostFunctions) VG_(tool_panic)("more functions were called than can be followed");
      number = g_function_count++;
      g_functions[number] = {object, name, is_nameless};
    }
    // Two may have one key.
    if (g_functions[number].object == object && g_functions[number].name == name) return number;
  }
}

Function& function(UInt number) { return g_functions[number]; }

UInt arc_between(UInt caller, UInt callee) {
  UInt& number = g_arc_index.at((static_cast<ULong>(caller) << 32U) | callee);
  if (number == 0) {
    if (++g_arc_count == kMostArcs) VG_(tool_panic)("more calls were made than can be followed");
    number = g_arc_count;
    g_arcs[number] = {caller, callee};
  }
  return number;
}

Arc& arc(UInt number) { return g_arcs[number]; }

void write_call_graph(VgFile* file) {
  const CallsByCaller calls;
  for (UInt number = 0; number < g_function_count; ++number) {
    const Function& function = g_functions[number];
    if (function.cost == 0 && calls.first_of(number) == 0) continue;
    VG_(fprintf)(file, "ob=%s\nfn=%s\n", function.object, function.name);
    if (function.cost != 0) VG_(fprintf)(file, "0 %llu\n", function.cost);
    for (UInt arc = calls.first_of(number); arc != 0; arc = calls.after(arc)) write(file, g_arcs[arc]);
  }
}

void zero_call_graph() {
  for (UInt i = 0; i < g_function_count; ++i) g_functions[i].cost = 0;
  for (UInt i = 1; i <= g_arc_count; ++i) g_arcs[i].calls = g_arcs[i].cost = 0;
}

}  // namespace tally::counter
