#include "call_graph.h"

#include "index.h"
#include "protocol/followed_calls.h"
#include "protocol/python_contexts.h"
#include "reserve.h"

namespace tally::counter {

namespace {

constexpr UInt kMostFunctions = 1U << 22U;
constexpr UInt kMostArcs = 1U << 24U;
constexpr UInt kMostChained = 1U << 24U;

Function* g_functions = nullptr;
UInt g_function_count = 0;
Arc* g_arcs = nullptr;
UInt g_arc_count = 0;

UInt* g_chained = nullptr;  // Callers, one function's after the other's; null: none is separated.
UInt g_chained_count = 0;

constinit Index g_function_index;
constinit Index g_arc_index;

ULong key_of(const HChar* object, const HChar* name) {
  return (reinterpret_cast<Addr>(object) * 0xff51'afd7'ed55'8ccdULL) ^ reinterpret_cast<Addr>(name);
}

UInt most_callers_of(const HChar* name) {
  if (g_chained == nullptr) return 0;
  const auto begins_with = [name](const HChar* text) { return VG_(strncmp)(name, text, VG_(strlen)(text)) == 0; };
  if (begins_with(protocol::kPythonEvaluator)) return protocol::kEvaluatorCallers;
  if (begins_with(protocol::kPythonTrampoline)) return protocol::kTrampolineCallers;
  for (const HChar* pattern : protocol::kPythonPlumbing) {
    if (VG_(string_match)(pattern, name)) return protocol::kPlumbingCallers;
  }
  return 0;
}

UInt new_function(const HChar* object, const HChar* name, Bool is_nameless) {
  if (g_function_count == kMostFunctions) VG_(tool_panic)("more functions were called than can be followed");
  const UInt number = g_function_count++;
  g_functions[number] = {.object = object, .name = name, .is_nameless = is_nameless, .without_callers = number};
  return number;
}

bool is_called_by(const Function& function, const UInt* callers, UInt count) {
  if (function.callers != count) return false;
  for (UInt i = 0; i < count; ++i) {
    if (g_chained[function.first_caller + i] != callers[i]) return false;
  }
  return true;
}

void write_name(VgFile* file, const Function& function) {
  VG_(fprintf)(file, "%s", function.name);
  for (UInt i = 0; i < function.callers; ++i)
    VG_(fprintf)(file, "%c%s", protocol::kCallerFollows, g_functions[g_chained[function.first_caller + i]].name);
  VG_(fprintf)(file, "\n");
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
  VG_(fprintf)(file, "cob=%s\ncfn=", callee.object);
  write_name(file, callee);
  VG_(fprintf)(file, "calls=%llu 0\n0 %llu\n", arc.calls, arc.cost);
}

}  // namespace

void reserve_call_graph() {
  g_functions = reserve<Function>(kMostFunctions);
  g_arcs = reserve<Arc>(kMostArcs);
  new_function("", protocol::kOutside, False);
}

void separate_python() { g_chained = reserve<UInt>(kMostChained); }

bool separates_python() { return g_chained != nullptr; }

bool has_call_graph() { return g_functions != nullptr; }

UInt function_with(const HChar* object, const HChar* name, Bool is_nameless) {
  for (ULong key = key_of(object, name);; ++key) {
    UInt& number = g_function_index.at(key);
    if (number == 0) {
      number = new_function(object, name, is_nameless);
      if (!is_nameless) g_functions[number].most_callers = most_callers_of(name);
    }
    // Two may have one key.
    const Function& known = g_functions[number];
    if (known.object == object && known.name == name && known.callers == 0) return number;
  }
}

UInt function_called_by(UInt function, const UInt* callers, UInt count) {
  ULong key = function;
  for (UInt i = 0; i < count; ++i) key = (key ^ callers[i]) * 0x9e37'79b9'7f4a'7c15ULL;
  for (;; ++key) {
    UInt& number = g_function_index.at(key);
    if (number == 0) {
      if (g_chained_count + count > kMostChained) VG_(tool_panic)("more callers were found than can be kept");
      number = new_function(g_functions[function].object, g_functions[function].name, False);
      Function& one = g_functions[number];
      one.without_callers = function;
      one.callers = count;
      one.first_caller = g_chained_count;
      for (UInt i = 0; i < count; ++i) g_chained[g_chained_count++] = callers[i];
    }
    if (g_functions[number].without_callers == function && is_called_by(g_functions[number], callers, count))
      return number;
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
    VG_(fprintf)(file, "ob=%s\nfn=", function.object);
    write_name(file, function);
    if (function.cost != 0) VG_(fprintf)(file, "0 %llu\n", function.cost);
    for (UInt arc = calls.first_of(number); arc != 0; arc = calls.after(arc)) write(file, g_arcs[arc]);
  }
}

void zero_call_graph() {
  for (UInt i = 0; i < g_function_count; ++i) g_functions[i].cost = 0;
  for (UInt i = 1; i <= g_arc_count; ++i) g_arcs[i].calls = g_arcs[i].cost = 0;
}

}  // namespace tally::counter
