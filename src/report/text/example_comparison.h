/// Two records with one case of every verdict and a hostile name, for tests and for nothing else.
#pragma once

#include "comparison/comparison.h"
#include "profile/callgrind.h"
#include "record/example_record.h"

namespace tally {

inline CaseRecord labelled_case(std::vector<std::string> label, double per_iteration) {
  std::string id;
  for (const std::string& part : label) id += (id.empty() ? "" : "/") + part;
  CaseRecord record = example_case(id + " [cpp]", per_iteration);
  record.label = std::move(label);
  record.params.clear();
  return record;
}

struct ExampleComparison {
  Record base = example_record();
  Record next = example_record();

  ExampleComparison() {
    base.cases = {labelled_case({"Pointwise", "add"}, 1000),   labelled_case({"Pointwise", "mul"}, 1000),
                  labelled_case({"Indexing", "scalar"}, 2000), labelled_case({"Gone", "case"}, 1),
                  labelled_case({"Settings", "differ"}, 1000), labelled_case({"<b>bold</b>|*_`", "\"quoted\""}, 1000)};
    next.cases = {labelled_case({"Pointwise", "add"}, 1120),   labelled_case({"Pointwise", "mul"}, 1000),
                  labelled_case({"Indexing", "scalar"}, 1500), labelled_case({"New", "case"}, 77),
                  labelled_case({"Settings", "differ"}, 1000), labelled_case({"<b>bold</b>|*_`", "\"quoted\""}, 1400)};
    next.cases[4].counts->iterations = 10;
    CaseRecord crashed = labelled_case({"Crash", "case"}, 1);
    crashed.status = CaseStatus::crashed;
    crashed.failure = Failure{.stage = "count", .message = "killed by SIGSEGV"};
    next.cases.push_back(crashed);
  }

  [[nodiscard]] Comparison compared() const {
    const auto profiles = [this](const Record& side, const CaseRecord&,
                                 ProfileOf what) -> std::optional<StoredProfile> {
      if (what == ProfileOf::python) return std::nullopt;
      const char* const text = &side == &base ? "events: Ir\nob=/a/libfoo.so.1\nfl=x.cc\nfn=_ZN3foo3addERKi\n1 "
                                                "60000\nfn=foo::rest(int)\n1 40000\ntotals: 100000\n"
                                              : "events: Ir\nob=/b/libfoo.so.1\nfl=x.cc\nfn=_ZN3foo3addERKi\n1 "
                                                "73000\nfn=foo::rest(int)\n1 39000\ntotals: 112000\n";
      return StoredProfile{*parse_callgrind(text), 100};
    };
    return compare(base, next, {}, {.profiles = profiles});
  }
};

}  // namespace tally
