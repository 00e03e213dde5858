// Writes the pages that the browser test opens: report_page_fixture FOLDER. One record alone, one against a base, with
// names made of markup, and many cases.
#include <cmath>
#include <cstdio>
#include <string>

#include "base/files.h"
#include "comparison/comparison.h"
#include "profile/callgrind.h"
#include "record/example_record.h"
#include "report/html_report.h"
#include "trace_fixture.h"

namespace tally {
namespace {

constexpr const char* evil = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>";

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
  if (slower) {
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
  CaseRecord hostile = case_of({evil, "\"quoted\" & <b>bold</b>"}, "cpp", 250, 3);
  hostile.definition.stmt = evil;
  hostile.warnings = {evil};
  record.cases.push_back(hostile);
  CaseRecord crashed = case_of({"Crash", "case"}, "cpp", 1, 1);
  crashed.status = CaseStatus::crashed;
  crashed.counts.reset();
  crashed.wall.reset();
  crashed.profile.reset();
  crashed.failure = Failure{.stage = "count",
                            .message = std::string("killed by SIGSEGV\n") + evil,
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
  for (const int n : {1, 1000000}) add(evil, "cpp", n, 5.0 * n);
  return record;
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
    const bool hostile = one.label.front() == evil;
    return profile_of(std::stoi(*one.profile), static_cast<int>(std::max(extra, -140.0)),
                      hostile ? evil : "c10::impl::tls_local_dispatch_key_set()");
  };
  const Comparison comparison = compare(base, next, {}, profiles);
  const auto write = [&](const std::string& name, const HtmlReport& report) {
    return write_file(folder + "/" + name, render_html_report(report)).has_value();
  };
  const Record growing = growing_record();
  const bool written =
      write("growth.html", {.record = &growing, .profiles = {}, .name = "growth.json"}) &&
      write("alone.html", {.record = &base, .profiles = profiles, .name = "example.json"}) &&
      write("compared.html",
            {.record = &next, .comparison = &comparison, .profiles = profiles, .name = "example.json"});
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
