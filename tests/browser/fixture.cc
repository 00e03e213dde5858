// Writes the pages that the browser test opens: report_page_fixture FOLDER. One record alone, one against a base, with
// names made of markup, and many cases.
#include <cmath>
#include <cstdio>
#include <string>

#include "base/files.h"
#include "comparison/comparison.h"
#include "profile/callgrind.h"
#include "record/example_record.h"
#include "report/html/report.h"
#include "trace_fixture.h"

namespace tally {
namespace {

constexpr const char* kEvil = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>";

/// A dispatcher over kernels; `kernel` is what the statement itself costs, `checks` what a slowdown adds to one
/// function.
StoredProfile profile_of(int kernel, int checks, const char* logger) {
  const auto n = [](long value) { return std::to_string(value * 100); };
  const long loop = kernel + 180;
  std::string text = "events: Ir\nob=/usr/lib/libtorch_cpu.so.1.13\nfl=x.cpp\n";
  const auto function = [&text](const std::string& name, long own) {
    text += "fn=" + name + "\n1 " + std::to_string(own * 100) + "\n";
  };
  const auto call = [&text](const std::string& name, long cost) {
    text += "cfn=" + name + "\ncalls=100 0\n1 " + std::to_string(cost * 100) + "\n";
  };
  function("tally_region(void*)", 40);
  call("at::Tensor::add_(c10::Scalar const&)", loop + 700 + checks);
  function("at::Tensor::add_(c10::Scalar const&)", 60);
  call("c10::Dispatcher::call<at::Tensor&>(c10::OperatorHandle const&)", loop + 640 + checks);
  function("c10::Dispatcher::call<at::Tensor&>(c10::OperatorHandle const&)", 120);
  call("at::native::add_out(at::Tensor const&, at::Tensor&)", loop + 400 + checks);
  call(logger, 120);
  function(logger, 120);
  function("at::native::add_out(at::Tensor const&, at::Tensor&)", 90);
  call("at::TensorIteratorBase::build(at::TensorIteratorConfig&)", 310 + checks);
  call("at::native::add_kernel(at::TensorIteratorBase&, c10::Scalar const&)", loop);
  function("at::TensorIteratorBase::build(at::TensorIteratorConfig&)", 160);
  call("at::TensorIteratorBase::compute_shape(at::TensorIteratorConfig const&)", 150 + checks);
  function("at::TensorIteratorBase::compute_shape(at::TensorIteratorConfig const&)", 150 + checks);
  function("at::native::add_kernel(at::TensorIteratorBase&, c10::Scalar const&)", 180);
  call("at::native::vectorized_loop<float>(char**, long, float)", kernel);
  function("at::native::vectorized_loop<float>(char**, long, float)", kernel);
  text += "totals: " + n(40 + 60 + 120 + 120 + 90 + 160 + 150 + checks + 180 + kernel) + "\n";
  return {*parse_callgrind(text), 100};
}

/// A function that calls itself through a native one; `extra` is what it costs more.
StoredProfile python_profile_of(int extra) {
  const auto n = [](long value) { return std::to_string(value * 100); };
  return {
      *parse_callgrind(
          "events: Ir\nob=Python\nfl=\nfn=statement\n1 " + n(80) + "\ncfn=ledger.total (ledger.py:3)\ncalls=100 0\n1 " +
          n(900 + extra) + "\nfl=ledger.py\nfn=ledger.total (ledger.py:3)\n1 " + n(300 + extra) +
          "\ncob=/usr/lib/libpython3.11.so.1.0\ncfl=for ledger.total\ncfn=builtin_sorted\ncalls=100 0\n1 " + n(600) +
          "\nob=/usr/lib/libpython3.11.so.1.0\nfl=for ledger.total\nfn=builtin_sorted\n1 " + n(600) +
          "\ntotals: " + n(980 + extra) + "\n"),
      100};
}

Wall wall_of(double seconds, int seed) {
  std::vector<std::vector<double>> samples(5);
  for (int i = 0; i < 150; ++i) {
    const double noise = std::abs(std::sin(i * 12.9898 + seed) * 43758.5453);
    samples[static_cast<std::size_t>(i / 30)].push_back(
        seconds * (1 + 0.01 * (noise - std::floor(noise)) + 0.002 * ((i / 30 + seed) % 5) + (i % 37 == 0 ? 0.06 : 0)));
  }
  return summarize_wall({.number_per_run = 2000, .by_child = samples});
}

CaseRecord case_of(std::vector<std::string> label, const std::string& language, int kernel, int seed) {
  CaseRecord one = example_case("", kernel + 920.0);
  std::string id;
  for (const std::string& part : label) id += (id.empty() ? "" : "/") + part;
  one.id = id + " [" + language + "]";
  one.label = std::move(label);
  one.language = language;
  one.params.clear();
  one.wall = wall_of((kernel + 920) * 0.21e-9, seed);
  one.profile = std::to_string(kernel);
  if (language == "python") one.definition = {.stmt = "x += 1.0", .setup = "x = torch.rand((4, 4))"};
  return one;
}

Record record_of(bool slower) {
  Record record = example_record();
  record.machines.resize(1);
  record.machines[0].cpu = "Example CPU @ 2.9 GHz";
  record.cases.clear();
  const char* groups[] = {"Pointwise", "Indexing", "Reductions", "nn Modules", "Views"};
  const char* names[] = {"add", "mul", "scalar", "sum", "Conv2d", "transpose"};
  int seed = 0;
  for (const char* group : groups) {
    for (const char* name : names) {
      for (const char* language : {"cpp", "python"}) {
        ++seed;
        record.cases.push_back(case_of({group, name}, language, 300 + 137 * seed, seed));
      }
    }
  }
  record.environments["torch"].subject = {{"module.torch", slower ? "2.6.0" : "2.5.1"},
                                          {"libtorch_cpu.so", std::string(32, slower ? '2' : '1')}};
  if (slower) {
    record.source->commit = "fedcba0987654321fedcba0987654321fedcba09";
    record.cases[20].counts->per_iteration += 3;  // within the floor of 5 instructions
    seed = 60;
    for (CaseRecord& one : record.cases) one.wall = wall_of(one.wall->median_s, ++seed);
    for (const int index : {3, 17}) {
      CaseRecord& one = record.cases[static_cast<std::size_t>(index)];
      one.counts->per_iteration += 240;
      one.wall = wall_of(one.wall->median_s * 1.09, index);
    }
    record.cases[8].counts->per_iteration *= 0.8;
    record.cases[8].wall = wall_of(record.cases[8].wall->median_s * 0.85, 8);
  }
  CaseRecord hostile = case_of({kEvil, "\"quoted\" & <b>bold</b>"}, "cpp", 250, 3);
  hostile.definition.stmt = kEvil;
  hostile.warnings = {kEvil};
  record.cases.push_back(hostile);
  CaseRecord crashed = case_of({"Crash", "case"}, "cpp", 1, 1);
  crashed.status = CaseStatus::crashed;
  crashed.counts.reset();
  crashed.wall.reset();
  crashed.profile.reset();
  crashed.failure = Failure{.stage = "count",
                            .message = std::string("killed by SIGSEGV\n") + kEvil,
                            .reproduce = "tally run suite.toml --filter 'Crash*'"};
  record.cases.push_back(crashed);
  return record;
}

/// Two languages over five numbers, counts as a binary search has them (22 + 12 · log n, exactly) and times a bit off;
/// one case crashed. Another benchmark has two numbers, which are drawn and not fitted, and a name made of markup.
Record growing_record() {
  Record record = record_of(false);
  record.cases.resize(2);
  const auto add = [&](const std::string& label, const std::string& language, int n, double count) {
    CaseRecord one = case_of({"Growth", label}, language, 1, n);
    one.params = {{"n", std::to_string(n)}};
    one.id = "Growth/" + label + " [" + language + " n=" + std::to_string(n) + "]";
    one.counts->per_iteration = count;
    one.wall = wall_of(count * 0.21e-9, n);
    one.profile.reset();
    record.cases.push_back(one);
  };
  for (const int n : {4, 16, 64, 256, 1024}) {
    add("find by halves", "cpp", n, 22 + 12 * std::log2(n));
    add("find by halves", "python", n, 1000.0 + 40 * n);
  }
  CaseRecord& crashed = record.cases.back();
  crashed.status = CaseStatus::crashed;
  crashed.counts.reset();
  crashed.wall.reset();
  for (const int n : {1, 1000000}) add(kEvil, "cpp", n, 5.0 * n);
  return record;
}

/// A library's file of 130 lines and the suite; `changed`: one line written otherwise, one gone, ten more above.
KeptLines lines_of(double per_iteration, bool changed) {
  const std::string library = changed ? "/new/src/edit_distance.cc" : "/old/src/edit_distance.cc";
  std::string text = "// Levenshtein's distance.\n";
  for (int i = 0; changed && i < 10; ++i) text += "// A remark.\n";
  const std::uint64_t first = changed ? 11 : 1;
  for (int i = 2; i <= 59; ++i) text += "int helper_" + std::to_string(i) + "();\n";
  text += "int distance(const char* a, const char* b) {\n  std::vector<int> row(b.size() + 1);\n";
  if (!changed) text += "  row.reserve(b.size() + 1);\n";
  text += "  for (std::size_t j = 0; j < b.size(); ++j) {\n";
  text += changed ? "    diagonal = row.at(j + 1);\n" : "    diagonal = row[j + 1];\n";
  text += std::string("    const char* text = \"") + kEvil + "\";\n  }\n  return row.back();\n}\n";
  for (int i = 0; i < 60; ++i) text += "int another_" + std::to_string(i) + "();\n";
  const std::uint64_t at = first + 59;  // Of the function.
  const std::uint64_t loop = at + (changed ? 2 : 3);
  const auto whole = [](double count) { return static_cast<std::uint64_t>(count * 100); };
  KeptLines kept;
  kept.iterations = 100;
  kept.costs.lines = {{{library, at}, whole(12)},
                      {{library, at + 1}, whole(100)},
                      {{library, loop}, whole(150)},
                      {{library, loop + 1}, whole(per_iteration - 460)},
                      {{library, loop + 2}, whole(50)},
                      {{"suite.toml", 6}, whole(20)},
                      {{"/src/edited_since.h", 3}, whole(8)}};
  if (!changed) kept.costs.lines[{library, at + 2}] = whole(20);
  kept.costs.elsewhere = {{"/usr/lib/libc.so.6", whole(changed ? 120 : 100)}};
  kept.costs.newer = {"/src/edited_since.h"};
  kept.costs.sources = {{library, changed ? "new" : "old"}, {"suite.toml", "suite"}};
  kept.texts = {{library, text},
                {"suite.toml",
                 "schema = 1\n\n[[benchmark]]\nlabel = [\"distance\"]\nsetup = \"std::string a, b;\"\ncpp = "
                 "'tally::keep(distance(a, b));'\n"}};
  return kept;
}

AllocationDelta site_of(double count, double bytes) {
  AllocationDelta delta;
  delta.site.frames = {{"libtorch.so", "at::empty"}, {"libmylib.so", "mylib::resize"}};
  delta.count_after = count;
  delta.bytes_after = bytes;
  return delta;
}

int write_pages(const std::string& folder) {
  const Record base = record_of(false);
  const Record next = record_of(true);
  const ProfileLoader profiles = [&](const Record& side, const CaseRecord& one,
                                     ProfileOf what) -> std::optional<StoredProfile> {
    if (what == ProfileOf::python) {
      if (!one.id.starts_with("Views/")) return std::nullopt;
      return python_profile_of(&side == &next ? 50 : 0);
    }
    if (!one.profile) return std::nullopt;
    const auto* case_base = find_case(base, one.id);
    const double extra = &side == &next && case_base && case_base->counts
                             ? one.counts->per_iteration - case_base->counts->per_iteration
                             : 0;
    const bool hostile = one.label.front() == kEvil;
    return profile_of(std::stoi(*one.profile), static_cast<int>(std::max(extra, -140.0)),
                      hostile ? kEvil : "c10::impl::tls_local_dispatch_key_set()");
  };
  const LineLoader lines = [&](const Record& side, const CaseRecord& one) -> std::optional<KeptLines> {
    if (one.language == "python" || !one.counts) return std::nullopt;
    return lines_of(one.counts->per_iteration, &side == &next);
  };
  const Evidence kept{.profiles = profiles, .lines = lines};
  Comparison comparison = compare(base, next, {}, kept);
  for (CaseComparison& one : comparison.cases) {
    if (has_moved(one)) one.allocations = {site_of(1, 64)};
  }
  const auto write = [&](const std::string& name, const HtmlReport& report) {
    return write_file(folder + "/" + name, render_html_report(report)).has_value();
  };
  const Record growing = growing_record();
  const bool written =
      write("growth.html", {.record = &growing, .kept = {}, .name = "growth.json"}) &&
      write("alone.html", {.record = &base, .kept = kept, .name = "example.json"}) &&
      write("compared.html", {.record = &next, .comparison = &comparison, .kept = kept, .name = "example.json"});
  constexpr int many = 20'000;
  return written && write_trace_pages(folder, many) ? 0 : 1;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: report_page_fixture FOLDER\n", stderr);
    return 2;
  }
  return tally::write_pages(argv[1]);
}
