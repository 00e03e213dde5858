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
    document["toolchains"][t.name] = {{"cxx", t.cpp.compilers},
                                      {"flags", t.cpp.flags},
                                      {"discover", t.python.discover},
                                      {"include", t.cpp.include},
                                      {"link", t.cpp.link},
                                      {"prelude", t.cpp.prelude},
                                      {"python", t.python.interpreters},
                                      {"requires", t.python.modules},
                                      {"seed_py", t.texts.seed.py},
                                      {"seed_cpp", t.texts.seed.cpp},
                                      {"set_threads_py", t.texts.set_threads.py},
                                      {"set_threads_cpp", t.texts.set_threads.cpp},
                                      {"warm_up_py", t.texts.warm_up.py},
                                      {"warm_up_cpp", t.texts.warm_up.cpp}};
  }
  std::puts(document.dump().c_str());
}
