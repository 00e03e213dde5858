/// The facade's families as benchmarks that `tally` lists and measures.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "asked.h"
#include "base/taken_names.h"
#include "families.h"
#include "instance.h"
#include "registry.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

using ::tally::detail::Call;
using Row = std::vector<std::int64_t>;

/// Runs of one name that differ in their arguments only.
struct Group {
  int nth = 1;  ///< Of those with this name.
  const Definition* said = nullptr;
  std::map<Row, ::benchmark::Benchmark*> runs;
  std::vector<Row> rows;  ///< In order.
};

std::vector<int> threads_of(const Definition& said) { return said.threads.empty() ? std::vector{1} : said.threads; }

/// Whether the runs of a family can stand beside those of a group.
bool fits(const Group& group, const Definition& said, const std::vector<Row>& rows) {
  return threads_of(*group.said) == threads_of(said) && group.said->iterations == said.iterations &&
         group.said->manual_time == said.manual_time && group.rows.front().size() == rows.front().size() &&
         std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return group.runs.count(row) > 0; });
}

/// Families that were registered under one name, as BENCHMARK(f)->Arg(1); BENCHMARK(f)->Arg(2); are one, where what
/// they say allows that; else the second one is "f#2".
std::vector<Group> groups(const std::set<const ::benchmark::Benchmark*>& chosen) {
  std::vector<Group> all;
  std::map<std::string, int> seen;
  for (const auto& family : families()) {
    if (chosen.count(family.get()) == 0) continue;
    const Definition& said = family->definition();
    std::vector<Row> rows = said.args.empty() ? std::vector<Row>{{}} : said.args;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    auto place = std::find_if(all.begin(), all.end(), [&](const Group& group) {
      return group.said->name == said.name && fits(group, said, rows);
    });
    if (place == all.end()) {
      place = all.insert(place, Group{++seen[said.name], &said, {}, {}});
    }
    Group& group = *place;
    for (const Row& row : rows) group.runs[row] = family.get();
    group.rows.insert(group.rows.end(), rows.begin(), rows.end());
  }
  return all;
}

/// As an id's axis may be called; "arg0" for the first without a name, and "device_" for "device".
std::string axis_name(const Definition& said, std::size_t place) {
  std::string name = place < said.arg_names.size() ? said.arg_names[place] : "";
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return "arg" + std::to_string(place);
  const auto& taken = ::tally::kTakenNames;
  const bool is_taken = std::find(std::begin(taken), std::end(taken), name) != std::end(taken);
  return is_taken ? name + "_" : name;
}

/// An axis for each argument where the runs are all combinations of their values, else one for all of them.
std::vector<::tally::embedded::Axis> axes_of(const Group& group) {
  std::vector<::tally::embedded::Axis> axes;
  std::size_t combinations = 1;
  for (std::size_t place = 0; place < group.rows.front().size(); ++place) {
    ::tally::embedded::Axis axis{axis_name(*group.said, place), {}};
    std::set<std::int64_t> values;
    for (const Row& row : group.rows) values.insert(row[place]);
    for (const std::int64_t value : values) axis.values.push_back({value});
    combinations *= values.size();
    axes.push_back(std::move(axis));
  }
  std::set<std::string> names;
  for (const auto& axis : axes) names.insert(axis.name);
  if (combinations == group.rows.size() && names.size() == axes.size()) return axes;
  return {{"args", group.rows}};
}

/// Setup() and Teardown() are of a call of the function, in one thread, before its threads are made.
void add(const Group& group, int call) {
  const auto runs = std::make_shared<std::map<Row, ::benchmark::Benchmark*>>(group.runs);
  const auto name = std::make_shared<std::string>();
  ::tally::embedded::Benchmark benchmark;
  benchmark.name = group.said->name;
  ::tally::embedded::add_call(benchmark.name, call);
  benchmark.axes = axes_of(group);
  benchmark.threads = threads_of(*group.said);
  benchmark.iterations = static_cast<std::uint64_t>(group.said->iterations);
  benchmark.manual_time = group.said->manual_time;
  benchmark.function = [runs, name](Call& call) { run_function(*runs->at(call.args()), call, *name); };
  benchmark.set_up = [runs](const Row& args, int threads) { set_up(*runs->at(args), args, threads); };
  benchmark.tear_down = [runs](const Row& args, int threads) { tear_down(*runs->at(args), args, threads); };
  *name = ::tally::embedded::add_foreign(std::move(benchmark), group.nth);
}

/// A call without a loop, for what a state shows.
class Shown : public Call {
 public:
  Shown(::tally::detail::Facts& facts, const Row& args, int threads) : Call(facts, args, 0, threads) {}
  void open(::tally::detail::Empty /*empty*/, std::uint64_t /*step*/) override {}
  std::uint64_t wait() override { return 0; }
  void start() override {}
  void pause() override {}
  void resume() override {}
  std::uint64_t promise() override { return 0; }
};

/// Families that this call or an earlier one has listed; none where cases are served, whose heap it would move.
std::set<const ::benchmark::Benchmark*>& listed() {
  static std::set<const ::benchmark::Benchmark*> all;
  return all;
}

/// Whether the family is of this call, of which these are known, and of none before it.
bool is_new(const ::benchmark::Benchmark* family, const std::set<const ::benchmark::Benchmark*>& chosen) {
  const bool lists = ::tally::embedded::asked() == ::tally::embedded::Asked::list;
  return !lists || chosen.count(family) > 0 || listed().insert(family).second;
}

void show(const callback_function& function, const Row& args, int threads) {
  if (!function) return;
  ::tally::detail::Facts facts;
  Shown call(facts, args, threads);
  const State state(&call);
  function(state);
}

}  // namespace

void set_up(const ::benchmark::Benchmark& family, const Row& args, int threads) {
  show(family.definition().setup, args, threads);
}

void tear_down(const ::benchmark::Benchmark& family, const Row& args, int threads) {
  show(family.definition().teardown, args, threads);
}

void forget_listed() { listed().clear(); }

std::optional<std::size_t> serve_if_asked(const std::string& filter) {
  static int call = 0;
  if (::tally::embedded::asked() == ::tally::embedded::Asked::nothing) return std::nullopt;
  ++call;
  // Families of which something would run: a program may choose, and leaves out what is called DISABLED_. All rows of
  // these, which have their names by all.
  std::string error;
  std::set<const ::benchmark::Benchmark*> chosen;
  std::size_t number = 0;
  for (const Instance& one : instances(filter, error)) {
    ++number;
    if (is_new(one.family, chosen)) chosen.insert(one.family);
  }
  if (!error.empty())
    std::cerr << "benchmark: the filter '" << filter << "' is no regular expression: " << error << "\n";
  for (const Group& group : groups(chosen)) add(group, call);
  ::tally::embedded::serve_call_if_asked();
  return number;
}

}  // namespace internal

TALLYMARK_FACADE_END
