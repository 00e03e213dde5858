#include "profile/python_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "protocol/python_contexts.h"

namespace tally {

namespace {

using protocol::kPythonEvaluator;
using protocol::kPythonPlumbing;

constexpr std::string_view kPythonTrampoline = protocol::kPythonTrampoline;
constexpr std::string_view kObserver = "_tally_functions.abi3.so";
constexpr std::string_view kHost = "_tally_host.abi3.so";
constexpr std::string_view kHook = "tally_hook";

using Node = std::uint32_t;  ///< As in PythonCall.

bool is_evaluator(std::string_view name) { return name.starts_with(kPythonEvaluator); }
bool is_plumbing(std::string_view name) {
  return std::ranges::any_of(kPythonPlumbing, [&](std::string_view pattern) { return glob_match(pattern, name); });
}
/// A stub of a linkage table: Callgrind names it by its address.
bool is_nameless(std::string_view name) { return name.starts_with("0x") || name == "???"; }

std::optional<std::uint32_t> trampoline_number(std::string_view name) {
  if (!name.starts_with(kPythonTrampoline)) return std::nullopt;
  const std::string_view digits = name.substr(kPythonTrampoline.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// Cost and number of calls.
struct Flow {
  std::uint64_t cost = 0;
  std::uint64_t count = 0;
  Flow& operator+=(const Flow& other) {
    cost += other.cost;
    count += other.count;
    return *this;
  }
};

/// What one of the observed functions is to us.
struct Observed {
  std::vector<std::string_view> context;    ///< Its name, its caller's, …
  std::optional<std::uint32_t> trampoline;  ///< It is this one.
  std::optional<Node> owner;                ///< It is the evaluator, or leads from it to what this node calls.
  bool is_observer = false;
};

class Reader {
 public:
  Reader(const Profile& observed, const PythonCalls& calls, std::uint64_t loop)
      : observed_(observed), calls_(calls), loop_(loop) {}

  Result<PythonProfile> read() {
    if (observed_.events.empty() || observed_.events.front() != "Ir") return disagreement("no instructions");
    look_at_functions();
    if (auto checked = find_costs(); !checked) return std::unexpected(checked.error());
    find_natives();
    return PythonProfile{write(), observing_};
  }

 private:
  /// A native function on behalf of a node.
  using Native = std::pair<Node, std::uint32_t>;

  static std::unexpected<Error> disagreement(const std::string& what) {
    return fail(ErrorKind::failed, "what was observed of Python calls does not agree with what was counted: " + what);
  }

  [[nodiscard]] const std::string& name_of(std::uint32_t function) const {
    return observed_.name_of(observed_.functions[function]);
  }
  [[nodiscard]] std::uint32_t caller_of(const Profile::Call& call) const { return observed_.rows[call.row].function; }
  [[nodiscard]] Flow flow_of(std::size_t call) const {
    return {observed_.call_cost(call)[0], observed_.calls[call].count};
  }
  [[nodiscard]] Node callee_of(std::uint32_t trampoline) const { return calls_.calls[trampoline].callee; }

  void look_at_functions() {
    for (std::uint32_t i = 0; i < observed_.functions.size(); ++i) {
      Observed& one = functions_.emplace_back();
      one.context = split(name_of(i), protocol::kCallerFollows);
      one.is_observer = observed_.object_of(observed_.functions[i]).ends_with(kObserver);
      if (one.is_observer) one.trampoline = trampoline_number(one.context.front());
      if (one.trampoline && *one.trampoline >= calls_.calls.size()) one.trampoline.reset();
      if (!one.is_observer && (is_evaluator(one.context.front()) || is_plumbing(one.context.front())))
        one.owner = owner_of(one.context);
    }
  }

  /// The node in whose evaluator a context begins; the statement's where it is in no trampoline; none where the context
  /// is too short to decide.
  [[nodiscard]] std::optional<Node> owner_of(const std::vector<std::string_view>& context) const {
    const auto leads_on = [](std::string_view name) { return is_plumbing(name) || is_nameless(name); };
    auto at = std::ranges::find_if_not(context, leads_on);
    if (at == context.end() || !is_evaluator(*at)) return std::nullopt;  // it is a part of another native function
    at = std::find_if_not(at, context.end(), is_evaluator);
    if (at == context.end()) return std::nullopt;
    const auto number = trampoline_number(*at);
    if (!number) return 0;
    return *number < calls_.calls.size() ? std::optional(callee_of(*number)) : std::nullopt;
  }

  /// Each node's own instructions.
  Status find_costs() {
    evaluated_.resize(calls_.calls.size());
    std::uint64_t total = 0;
    std::uint64_t observer = 0;
    std::uint64_t trampolines = 0;
    for (std::size_t row = 0; row < observed_.rows.size(); ++row) {
      const Observed& function = functions_[observed_.rows[row].function];
      const std::uint64_t cost = observed_.row_cost(row)[0];
      total += cost;
      if (function.is_observer) observer += cost;
      if (function.trampoline) trampolines += cost;
    }
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < observed_.calls.size(); ++i) {
      const auto& trampoline = functions_[caller_of(observed_.calls[i])].trampoline;
      if (trampoline) evaluated_[*trampoline] += flow_of(i);
    }
    for (std::size_t i = 0; i < calls_.calls.size(); ++i) {
      count += calls_.calls[i].count;
      if (evaluated_[i].count != calls_.calls[i].count) {
        return disagreement(fmt::format("the number of calls ({} to {} counted, {} observed)", evaluated_[i].count,
                                        calls_.functions[calls_.calls[i].callee / 2].name, calls_.calls[i].count));
      }
    }
    if (count > 0) {
      if (observer % count != 0 || trampolines % count != 0) return disagreement("what observing a call takes varies");
      for_hook_ = (observer - trampolines) / count;
      for_call_ = observer / count;
    }
    observing_ = for_call_ * count;
    own_.assign(2 * calls_.functions.size(), 0);
    own_[0] = static_cast<std::int64_t>(total) - static_cast<std::int64_t>(loop_);
    for (std::size_t i = 0; i < calls_.calls.size(); ++i) {
      const PythonCall& call = calls_.calls[i];
      own_[call.callee] += static_cast<std::int64_t>(evaluated_[i].cost);
      own_[call.caller] -= static_cast<std::int64_t>(evaluated_[i].cost + for_call_ * call.count);
    }
    return {};
  }

  /// The function of a linkage table's stub; any other as it is.
  [[nodiscard]] std::uint32_t behind_stubs(std::uint32_t function) const {
    for (int hops = 0; hops < 3 && is_nameless(functions_[function].context.front()); ++hops) {
      const auto target = only_callee_.find(function);
      if (target == only_callee_.end() || !target->second) break;
      function = *target->second;
    }
    return function;
  }

  void find_only_callees() {
    for (const Profile::Call& call : observed_.calls) {
      const std::uint32_t caller = caller_of(call);
      if (!is_nameless(functions_[caller].context.front())) continue;
      const auto [place, is_new] = only_callee_.emplace(caller, call.callee);
      // Contexts of one function are one.
      if (!is_new && place->second &&
          functions_[*place->second].context.front() != functions_[call.callee].context.front())
        place->second.reset();
    }
  }

  /// The native function, of those between a trampoline and the evaluator of its caller, that is the caller's: the
  /// outermost that is neither plumbing nor a stub. None: the call is direct, or that is not known.
  [[nodiscard]] std::optional<std::string_view> way_of(const Observed& trampoline, bool& is_known) const {
    const auto& context = trampoline.context;
    const auto evaluator = std::ranges::find_if(context.begin() + 1, context.end(), is_evaluator);
    is_known = evaluator != context.end();
    for (auto at = evaluator; is_known && at != context.begin() + 1; --at) {
      const std::string_view name = *(at - 1);
      if (name == kHook) break;
      if (!is_plumbing(name) && !is_nameless(name)) return name;
    }
    return std::nullopt;
  }

  /// What nodes call of native code, without the Python code that this calls in its turn.
  void find_natives() {
    find_only_callees();
    std::map<std::pair<Node, std::string_view>, Native> by_name;
    for (std::size_t i = 0; i < observed_.calls.size(); ++i) {
      const Profile::Call& call = observed_.calls[i];
      const auto& owner = functions_[caller_of(call)].owner;
      // An edge without a call was open when the region began: it is the host's way to the statement.
      if (!owner || call.count == 0) continue;
      const std::uint32_t callee = behind_stubs(call.callee);
      const std::string_view name = functions_[callee].context.front();
      const bool is_host = observed_.object_of(observed_.functions[callee]).ends_with(kHost);
      if (functions_[callee].is_observer || is_host || is_evaluator(name) || is_plumbing(name) || is_nameless(name))
        continue;
      const Native native = by_name.emplace(std::pair(*owner, name), Native(*owner, callee)).first->second;
      natives_[native] += flow_of(i);
    }
    find_ways(by_name);
    for (const auto& [native, flow] : natives_) {
      std::uint64_t& self = native_self_[native] = flow.cost;
      const auto deducted = hooked_.find(native);
      if (deducted == hooked_.end()) continue;
      if (deducted->second > self) unclear_.push_back(native.first);
      self -= std::min(self, deducted->second);
    }
    std::map<Node, std::uint64_t> sums;
    for (const auto& [native, self] : native_self_) sums[native.first] += self;
    for (const auto& [node, sum] : sums) {
      if (static_cast<std::int64_t>(sum) > own_[node]) unclear_.push_back(node);
    }
    std::erase_if(native_self_, [&](const auto& one) { return is_unclear(one.first.first); });
  }

  /// Through which native function each call of a Python function goes.
  void find_ways(const std::map<std::pair<Node, std::string_view>, Native>& by_name) {
    std::vector<PythonCall> left = calls_.calls;
    std::map<std::uint32_t, Flow> into;                        // by function
    std::map<std::uint32_t, std::optional<Native>> first_way;  // by call
    for (std::size_t i = 0; i < observed_.calls.size(); ++i) {
      if (functions_[observed_.calls[i].callee].trampoline) into[observed_.calls[i].callee] += flow_of(i);
    }
    for (const auto& [function, flow] : into) {
      const std::uint32_t number = *functions_[function].trampoline;
      const PythonCall& call = calls_.calls[number];
      bool is_known = false;
      const auto name = way_of(functions_[function], is_known);
      if (!is_known) unclear_.push_back(call.caller);
      // What is beneath is known of all ways of a call together; where they lead through several native functions, no
      // way's own part of it is.
      const std::uint64_t beneath =
          left[number].count <= flow.count ? left[number].beneath : call.beneath / call.count * flow.count;
      left[number].beneath -= std::min(beneath, left[number].beneath);
      left[number].count -= std::min(flow.count, left[number].count);
      Way way{.call = number, .through = {}, .flow = flow, .beneath = beneath};
      const auto native = name ? by_name.find({call.caller, *name}) : by_name.end();
      if (native != by_name.end()) {
        way.through = native->second;
        hooked_[native->second] += flow.cost + for_hook_ * flow.count;
      }
      const std::optional<Native>& first = first_way.emplace(number, way.through).first->second;
      if (call.beneath > 0 && first != way.through) unclear_.push_back(call.caller);
      ways_.push_back(way);
    }
  }

  [[nodiscard]] bool is_unclear(Node node) const { return std::ranges::find(unclear_, node) != unclear_.end(); }

  // Writing.

  std::uint32_t text(std::string_view value) {
    const auto [place, is_new] = strings_.emplace(value, static_cast<std::uint32_t>(out_.strings.size()));
    if (is_new) out_.strings.emplace_back(value);
    return place->second;
  }

  /// A function with the one row that it has.
  std::uint32_t add(std::string_view object, std::string_view file, std::string_view name, std::int64_t cost) {
    const auto number = static_cast<std::uint32_t>(out_.functions.size());
    out_.functions.push_back({text(object), text(file), text(name)});
    out_.rows.push_back({number, text(file)});
    out_.row_costs.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(cost, 0)));
    return number;
  }

  void add_call(std::uint32_t caller, std::uint32_t callee, Flow flow) { calls_out_[{caller, callee}] += flow; }

  Profile write() {
    out_.events = {"Ir"};
    std::map<Node, std::int64_t> native_of;
    for (const auto& [native, self] : native_self_) native_of[native.first] += static_cast<std::int64_t>(self);
    std::map<Node, std::uint32_t> nodes;
    std::map<Node, std::string> names;
    const auto add_node = [&](Node node) {
      if (nodes.contains(node)) return;
      const PythonFunction& function = calls_.functions[node / 2];
      const std::string own = node / 2 == 0 ? std::string(kPythonStatement) : display_name(function, calls_);
      names[node] = node % 2 == 0 ? own : own + std::string(kPythonRecursion);
      const std::string object = node / 2 == 0 ? std::string(kPythonCode) : python_object(function, calls_);
      nodes[node] = add(object, function.file, names[node], own_[node] - native_of[node]);
    };
    add_node(0);
    for (const PythonCall& call : calls_.calls) {
      add_node(call.caller);
      add_node(call.callee);
    }
    std::map<Native, std::uint32_t> natives;
    for (const auto& [native, self] : native_self_) {
      const auto& function = observed_.functions[native.second];
      natives[native] = add(observed_.object_of(function), "for " + names[native.first],
                            functions_[native.second].context.front(), static_cast<std::int64_t>(self));
    }
    std::map<Native, std::uint64_t> python_of;  // beneath a native function
    for (const Way& way : ways_) {
      const PythonCall& call = calls_.calls[way.call];
      // Each call's trampoline is in what flows in.
      const std::uint64_t cost = way.flow.cost - (for_call_ - for_hook_) * way.flow.count - for_call_ * way.beneath;
      const bool is_through = way.through && natives.contains(*way.through);
      if (is_through) python_of[*way.through] += cost;
      add_call(is_through ? natives[*way.through] : nodes[call.caller], nodes[call.callee], {cost, way.flow.count});
    }
    for (const auto& [native, self] : native_self_)
      add_call(nodes[native.first], natives[native], {self + python_of[native], natives_[native].count});
    for (const auto& [pair, flow] : calls_out_) {
      out_.calls.push_back({pair.first, pair.second, flow.count});  // a function's row has its number
      out_.call_costs.push_back(flow.cost);
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t cost : out_.row_costs) sum += cost;
    out_.totals = {sum};
    return std::move(out_);
  }

  /// The calls of one trampoline that go through one native function.
  struct Way {
    std::uint32_t call = 0;
    std::optional<Native> through;
    Flow flow;
    std::uint64_t beneath = 0;
  };

  const Profile& observed_;
  const PythonCalls& calls_;
  std::uint64_t loop_;
  std::vector<Observed> functions_;
  std::vector<Flow> evaluated_;    ///< By call: what the evaluator took.
  std::vector<std::int64_t> own_;  ///< By node.
  std::uint64_t for_call_ = 0;     ///< Instructions of observing one call.
  std::uint64_t for_hook_ = 0;     ///< Of those, outside of the trampoline.
  std::uint64_t observing_ = 0;
  std::map<std::uint32_t, std::optional<std::uint32_t>> only_callee_;
  std::map<Native, Flow> natives_;
  std::map<Native, std::uint64_t> hooked_;  ///< Of that, Python functions and their observing.
  std::map<Native, std::uint64_t> native_self_;
  std::vector<Way> ways_;
  std::vector<Node>
      unclear_;  ///< Whose native functions cannot be separated from the Python functions that these call.
  Profile out_;
  std::map<std::string, std::uint32_t, std::less<>> strings_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Flow> calls_out_;
};

}  // namespace

Result<PythonProfile> python_profile(const Profile& observed, const PythonCalls& calls, std::uint64_t loop) {
  return Reader(observed, calls, loop).read();
}

std::string note_of_difference(double observed, double counted) {
  constexpr double kNothing = 0.05;
  if (counted <= 0) return {};
  const double percent = 100 * (observed / counted - 1);
  if (std::abs(percent) <= kNothing) return {};
  if (percent < 0) return fmt::format("{:.2g} % fewer instructions than are counted", -percent);
  return fmt::format("{:.2g} % more instructions than are counted: the interpreter inlines no call that is observed",
                     percent);
}

}  // namespace tally
