#include "recording/traced_statements.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "definition/builtin_toolchains.h"
#include "definition/read_suite.h"
#include "definition/read_toolchain.h"
#include "expansion/expand.h"
#include "plan/filter.h"

namespace tally {
namespace {

std::string file_name(std::string_view id, std::size_t number) {
  std::string out;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return fmt::format("{:03}-{}", number, out.substr(0, 80));
}

/// The profiler is torch's, whatever the toolchain is about.
Toolchain with_torch(Toolchain toolchain) {
  if (!contains(toolchain.python.modules, "torch")) toolchain.python.modules.emplace_back("torch");
  return toolchain;
}

Result<TracedStatements> the_statement(const RecordingRequest& options) {
  auto toolchain = choose_toolchain(builtin_toolchains(), options.toolchain, {});
  if (!toolchain) return std::unexpected(toolchain.error());
  TracedStatement one{options.stmt,  "statement",  options.threads,
                      options.setup, options.stmt, with_torch(*std::move(toolchain))};
  return TracedStatements{.all = {std::move(one)}};
}

}  // namespace

Result<TracedStatements> traced_statements(const RecordingRequest& options) {
  if (options.suite.empty()) return the_statement(options);
  const auto suite = read_suite(options.suite);
  if (!suite) return std::unexpected(suite.error());
  auto cases = expand(*suite);
  if (!cases) return std::unexpected(cases.error());
  const auto chosen = select(std::move(*cases), {.filters = options.filters});
  if (!chosen) return std::unexpected(chosen.error());
  TracedStatements out;
  for (const Case& c : *chosen) {
    if (c.language != Language::python || c.artifact) {
      ++out.skipped;
      continue;
    }
    auto toolchain = choose_toolchain(suite->toolchains(), c.toolchain, {});
    if (!toolchain) return fail(ErrorKind::internal, "a case of no known toolchain", c.id);
    out.all.push_back({c.id, file_name(c.id, out.all.size() + 1), c.threads, c.setup.text(), c.stmt.text(),
                       with_torch(*std::move(toolchain)), c.load.text()});
  }
  if (out.all.empty())
    return fail(ErrorKind::input, "no Python case in eager mode is meant; only those are recorded", options.suite,
                "use --filter, or see tally list");
  return out;
}

}  // namespace tally
