// What tests/suites/check_suite.py needs: a suite's plan, and the toolchains that build it, as JSON.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "definition/read_suite.h"
#include "plan/plan.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const tally::Result<tally::Suite> suite = tally::read_suite(argv[1]);
  const tally::Result<tally::Plan> plan =
      suite ? tally::make_plan(*suite, {}) : tally::Result<tally::Plan>(std::unexpected(suite.error()));
  if (!plan) {
    std::fprintf(stderr, "%s\n", tally::describe(plan.error()).c_str());
    return 2;
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(tally::plan_json(*plan));
  for (const tally::Toolchain& t : plan->toolchains) {
    document["toolchains"][t.name] = {{"cxx", t.cxx},
                                      {"flags", t.flags},
                                      {"discover", t.discover},
                                      {"include", t.include},
                                      {"link", t.link},
                                      {"prelude", t.prelude},
                                      {"python", t.python},
                                      {"requires", t.requires_modules},
                                      {"seed_py", t.seed.py},
                                      {"seed_cpp", t.seed.cpp},
                                      {"set_threads_py", t.set_threads.py},
                                      {"set_threads_cpp", t.set_threads.cpp},
                                      {"warm_up_py", t.warm_up.py},
                                      {"warm_up_cpp", t.warm_up.cpp}};
  }
  std::puts(document.dump().c_str());
}
