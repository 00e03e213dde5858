#include "definition/read_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "base/contains.h"
#include "base/text.h"
#include "definition/fields.h"
#include "definition/lexical.h"
#include "definition/read_toolchain.h"
#include "definition/table.h"

namespace tally {
namespace {

// Every form's keys end with these.
#define TALLY_OPTION_KEYS                                                                                     \
  "threads", "device", "devices", "tags", "toolchain", "timeout", "iterations", "replicates", "min_run_time", \
      "max_run_time", "precision", "memory", "retries", "entropy", "flush"
constexpr auto kDefaultKeys = std::to_array<std::string_view>({TALLY_OPTION_KEYS});
constexpr auto kSetupKeys = std::to_array<std::string_view>({"py", "cpp", "cpp_global", "table"});
constexpr auto kBenchmarkKeys =
    std::to_array<std::string_view>({"label", "py", "cpp", "table", "py_model", "cpp_model", "model_table", "setup",
                                     "signature", "autograd", "params", TALLY_OPTION_KEYS});
constexpr auto kVariantsKeys =
    std::to_array<std::string_view>({"label", "table", "py", "cpp", "setup", "params", TALLY_OPTION_KEYS});
constexpr auto kTimerKeys =
    std::to_array<std::string_view>({"label", "language", "stmt", "setup", "load", "global_setup", TALLY_OPTION_KEYS});
#undef TALLY_OPTION_KEYS
constexpr auto kCommandKeys = std::to_array<std::string_view>({"label",
                                                               "run",
                                                               "shell",
                                                               "setup",
                                                               "prepare",
                                                               "cleanup",
                                                               "files",
                                                               "input",
                                                               "output",
                                                               "folder",
                                                               "runs",
                                                               "warm_up",
                                                               "expect_status",
                                                               "environment",
                                                               "params",
                                                               "tags",
                                                               "timeout",
                                                               "replicates",
                                                               "retries",
                                                               "precision",
                                                               "memory",
                                                               "entropy",
                                                               "own_process_numbers",
                                                               "private_tmp",
                                                               "min_run_time",
                                                               "max_run_time"});

constexpr std::uint64_t kMostRetries = 100;  // as of --retries

std::optional<Entropy> read_entropy(Fields& fields) {
  const std::string word = fields.string("entropy");
  if (word.empty()) return std::nullopt;
  if (word == "fixed") return Entropy::fixed;
  if (word == "system") return Entropy::system;
  fields.refuse({ErrorKind::input, fmt::format("'{}' is not an entropy", word), describe(fields.place("entropy")),
                 "write \"fixed\" (the same numbers in each run) or \"system\""});
  return std::nullopt;
}

std::optional<Flush> read_flush(Fields& fields) {
  const std::string word = fields.string("flush");
  if (word.empty()) return std::nullopt;
  if (word == "none") return Flush::none;
  if (word == "l2") return Flush::l2;
  fields.refuse({ErrorKind::input, fmt::format("'{}' cannot be flushed", word), describe(fields.place("flush")),
                 "write \"l2\" (the device's cache is written over before each execution) or \"none\""});
  return std::nullopt;
}

}  // namespace

Options read_options(Fields& fields) {
  Options options;
  options.threads = fields.integers("threads");
  options.devices = fields.strings("devices");
  if (const std::string device = fields.string("device"); !device.empty()) {
    if (!options.devices.empty()) {
      fields.refuse({ErrorKind::input, "'device' stands beside 'devices'", describe(fields.place("device")),
                     "write one of them"});
    }
    options.devices = {device};
  }
  options.tags = fields.strings("tags");
  options.toolchain = fields.string("toolchain");
  options.settings.timeout = fields.duration("timeout");
  options.settings.iterations = fields.positive("iterations");
  if (const auto replicates = fields.positive("replicates")) {
    options.settings.replicates =
        static_cast<int>(std::min<std::uint64_t>(*replicates, std::numeric_limits<int>::max()));
  }
  options.settings.min_run_time = fields.duration("min_run_time");
  options.settings.max_run_time = fields.duration("max_run_time");
  options.settings.precision = fields.share("precision");
  options.settings.memory_bytes = fields.bytes("memory");
  if (const auto retries = fields.up_to("retries", kMostRetries)) options.settings.retries = static_cast<int>(*retries);
  options.settings.entropy = read_entropy(fields);
  options.settings.flush = read_flush(fields);
  return options;
}

Places read_places(const Fields& fields, const TomlNode& table) {
  return {.definition = table.at,
          .label = fields.place("label"),
          .autograd = fields.place("autograd"),
          .threads = fields.place("threads"),
          .devices = fields.place(fields.find("device") != nullptr ? "device" : "devices"),
          .toolchain = fields.place("toolchain"),
          .tags = fields.place("tags"),
          .run_time = fields.place(fields.find("max_run_time") != nullptr ? "max_run_time" : "min_run_time"),
          .flush = fields.place("flush")};
}

void read_sides(Fields& fields, std::string_view py_key, std::string_view cpp_key, std::string_view table_key,
                Snippet& py, Snippet& cpp) {
  py = fields.snippet(py_key);
  cpp = fields.snippet(cpp_key);
  const TomlNode* table = fields.find(table_key);
  if (table == nullptr) return;
  if (fields.find(py_key) != nullptr || fields.find(cpp_key) != nullptr) {
    return fields.refuse({ErrorKind::input, fmt::format("'{}' stands beside '{}' or '{}'", table_key, py_key, cpp_key),
                          describe(table->at),
                          fmt::format("write either {}, or {} and {}", table_key, py_key, cpp_key)});
  }
  Result<TableColumns> columns = parse_table_columns(fields.snippet(table_key));
  if (!columns) return fields.refuse(columns.error());
  py = std::move(columns->py);
  cpp = std::move(columns->cpp);
}

namespace {

/// The error for py_global, which people try.
Status check_global(const TomlNode& table) {
  for (const TomlEntry& entry : table.entries) {
    if (entry.key != "py_global" && entry.key != "py_global_setup") continue;
    return fail(ErrorKind::input, fmt::format("a global setup is C++ only, and '{}' is Python", entry.key),
                describe(entry.at), "move its text to py");
  }
  return {};
}

Result<Setup> setup_of(const TomlNode& table, const std::string& what) {
  if (Status ok = check_global(table); !ok) return std::unexpected(ok.error());
  Fields fields(table, what, kSetupKeys);
  Setup setup;
  read_sides(fields, "py", "cpp", "table", setup.py, setup.cpp);
  setup.cpp_global = fields.snippet("cpp_global");
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  return setup;
}

/// A name, an inline table, or an array of these.
std::vector<Setup> read_setups(Fields& fields, const Suite& suite) {
  std::vector<Setup> result;
  const auto take = [&](const TomlNode& node) {
    Result<Setup> setup = Setup{};
    if (node.kind == TomlNode::Kind::string) {
      setup = suite.setup(node.text, node.at);
    } else if (node.kind == TomlNode::Kind::table) {
      setup = setup_of(node, "setup");
    } else {
      setup = fail(ErrorKind::input,
                   fmt::format("a setup is a name or an inline table, not {} ({})", describe(node.kind), node.written),
                   describe(node.at), "write setup = \"name\" or setup = { py = '…', cpp = '…' }");
    }
    if (!setup) return fields.refuse(setup.error());
    result.push_back(std::move(*setup));
  };
  const TomlNode* node = fields.find("setup");
  if (node == nullptr) return result;
  if (node->kind != TomlNode::Kind::array) take(*node);
  for (const TomlNode& item : node->items) take(item);
  return result;
}

/// 1.0 stays 1.0: as 1 it would be a whole number in either language.
std::string written(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::vector<Param> read_params(Fields& fields) {
  std::vector<Param> result;
  const TomlNode* table = fields.find("params");
  if (table == nullptr) return result;
  if (table->kind != TomlNode::Kind::table) {
    fields.refuse({ErrorKind::input,
                   fmt::format("'params' must be a table, not {} ({})", describe(table->kind), table->written),
                   describe(table->at), "write params = { n = [4, 64] }"});
  }
  for (const TomlEntry& entry : table->entries) {
    Param param{.name = entry.key, .values = {}, .at = entry.at};
    const auto take = [&](const TomlNode& value) {
      if (value.kind == TomlNode::Kind::string) {
        param.values.push_back(value.text);
      } else if (value.kind == TomlNode::Kind::integer) {
        param.values.push_back(fmt::format("{}", value.integer));
      } else if (value.kind == TomlNode::Kind::floating) {
        param.values.push_back(written(value.floating));
      } else {
        fields.refuse({ErrorKind::input,
                       fmt::format("a value of parameter '{}' is a number or a string, not {} ({})", entry.key,
                                   describe(value.kind), value.written),
                       describe(value.at),
                       fmt::format("write {} = [4, 64] or {} = [\"float\", \"double\"]", entry.key, entry.key)});
      }
    };
    if (entry.value.kind != TomlNode::Kind::array) take(entry.value);
    for (const TomlNode& value : entry.value.items) take(value);
    result.push_back(std::move(param));
  }
  return result;
}

}  // namespace

Status read_defaults(const TomlNode* table, const std::string& toolchain, Suite& suite) {
  Options options;
  Places places;
  if (table != nullptr) {
    Fields fields(*table, "[defaults]", kDefaultKeys);
    options = read_options(fields);
    places = read_places(fields, *table);
    if (Status ok = fields.status(); !ok) return ok;
  }
  if (options.toolchain.empty()) options.toolchain = toolchain;
  return suite.set_defaults(std::move(options), places);
}

Status read_setup(const std::string& name, const TomlNode& table, Suite& suite) {
  Result<Setup> setup = setup_of(table, fmt::format("[setup.{}]", name));
  if (!setup) return std::unexpected(setup.error());
  return suite.add_setup(name, std::move(*setup), table.at);
}

bool is_benchmark_key(std::string_view key) { return contains(kBenchmarkKeys, key); }

Status read_benchmark(const TomlNode& table, Suite& suite) {
  if (Status ok = check_global(table); !ok) return ok;
  // What toolchains name besides eager is a key of its own: torchscript = true.
  std::vector<std::string_view> keys(kBenchmarkKeys.begin(), kBenchmarkKeys.end());
  const std::vector<std::string> runtimes = suite.runtimes();
  keys.insert(keys.end(), runtimes.begin(), runtimes.end());
  Fields fields(table, "[[benchmark]]", keys);
  Benchmark benchmark;
  benchmark.label = fields.strings("label");
  read_sides(fields, "py", "cpp", "table", benchmark.py, benchmark.cpp);
  read_sides(fields, "py_model", "cpp_model", "model_table", benchmark.py_model, benchmark.cpp_model);
  benchmark.setup = read_setups(fields, suite);
  benchmark.signature = fields.snippet("signature");
  for (const std::string& runtime : runtimes) {
    if (fields.boolean(runtime)) benchmark.runtimes.push_back({runtime, fields.place(runtime)});
  }
  benchmark.autograd = fields.boolean("autograd");
  benchmark.params = read_params(fields);
  benchmark.options = read_options(fields);
  benchmark.at = read_places(fields, table);
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add(std::move(benchmark));
}

Status read_variants(const TomlNode& table, Suite& suite) {
  if (Status ok = check_global(table); !ok) return ok;
  Fields fields(table, "[[variants]]", kVariantsKeys);
  Variants variants;
  variants.label = fields.strings("label");
  variants.table = fields.snippet("table");
  variants.py = fields.snippet("py");
  variants.cpp = fields.snippet("cpp");
  variants.setup = read_setups(fields, suite);
  variants.params = read_params(fields);
  variants.options = read_options(fields);
  variants.at = read_places(fields, table);
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add(variants);
}

Status read_timer(const TomlNode& table, Suite& suite) {
  Fields fields(table, "[[timer]]", kTimerKeys);
  Timer timer;
  timer.label = fields.strings("label");
  // Python where no language is given, as in PyTorch's TimerArgs.
  if (const TomlNode* node = fields.find("language"); node != nullptr) {
    const std::string language = fields.string("language");
    if (language == "cpp") timer.language = Language::cpp;
    if (language != "cpp" && language != "python") {
      fields.refuse({ErrorKind::input, fmt::format("unknown language {}", node->written), describe(node->at),
                     "write language = \"python\" or language = \"cpp\""});
    }
  }
  timer.stmt = fields.snippet("stmt");
  if (fields.find("stmt") == nullptr) {
    fields.refuse({ErrorKind::input, fmt::format("timer '{}' has no statement", join(timer.label, "/")),
                   describe(table.at), "write stmt = '…'"});
  }
  timer.setup = fields.snippet("setup");
  if (is_identifier(timer.setup.text) && suite.setup(timer.setup.text)) {
    fields.refuse({ErrorKind::input,
                   fmt::format("a timer's setup is text, and '{}' is the name of a setup", timer.setup.text),
                   describe(timer.setup.at), "write the text itself, or make it a [[benchmark]]"});
  }
  timer.load = fields.snippet("load");
  timer.global_setup = fields.snippet("global_setup");
  timer.options = read_options(fields);
  timer.at = read_places(fields, table);
  if (timer.options.threads.size() > 1) {
    fields.refuse({ErrorKind::input, "a timer is one case, and so has one thread count", describe(timer.at.threads),
                   "write threads = 2, or make it a [[benchmark]]"});
  }
  if (timer.options.devices.size() > 1) {
    fields.refuse({ErrorKind::input, "a timer is one case, and so runs in one place", describe(timer.at.devices),
                   "write device = \"cuda\", or make it a [[benchmark]]"});
  }
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add(std::move(timer));
}

namespace {

/// 0 to 255, or "any".
std::vector<int> read_expected(Fields& fields) {
  constexpr int kMostStatus = 255;
  const TomlNode* const node = fields.find("expect_status");
  if (node == nullptr) return {0};
  if (node->kind == TomlNode::Kind::string) {
    if (node->text == "any") return {};
    fields.refuse({ErrorKind::input, fmt::format("'{}' is not an exit status", node->text), describe(node->at),
                   "write expect_status = 1, [0, 1] or \"any\""});
    return {};
  }
  std::vector<int> expected = fields.integers("expect_status");
  for (const int one : expected) {
    if (one >= 0 && one <= kMostStatus) continue;
    fields.refuse({ErrorKind::input, fmt::format("{} is not an exit status", one), describe(node->at),
                   "write a number from 0 to 255, several in brackets, or \"any\""});
  }
  return expected;
}

/// Relative to the suite.
std::string path_from(const std::string& folder, const std::string& path) {
  std::error_code code;
  const std::filesystem::path whole =
      std::filesystem::absolute(folder.empty() ? "." : folder, code) / (path.empty() ? "." : path);
  const std::string text = whole.lexically_normal().string();
  return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

Status read_command(const TomlNode& table, const std::string& folder, Suite& suite) {
  Fields fields(table, "[[command]]", kCommandKeys);
  Command command;
  command.label = fields.strings("label");
  command.line.run = fields.strings("run");
  if (const std::string shell = fields.string("shell"); !shell.empty()) {
    if (!command.line.run.empty()) {
      fields.refuse(
          {ErrorKind::input, "'shell' stands beside 'run'", describe(fields.place("shell")), "write one of them"});
    }
    command.line.run = {"/bin/sh", "-c", shell};
  }
  if (fields.find("run") == nullptr && fields.find("shell") == nullptr) {
    fields.refuse({ErrorKind::input, "a [[command]] that starts nothing", describe(table.at),
                   "write run = [\"program\", \"argument\"], or shell = \"a | b\""});
  }
  command.line.folder = path_from(folder, fields.string("folder"));
  command.line.setup = fields.string("setup");
  command.line.prepare = fields.string("prepare");
  command.line.cleanup = fields.string("cleanup");
  for (const std::string& file : fields.strings("files"))
    command.line.files.push_back(path_from(command.line.folder, file));
  if (const std::string input = fields.string("input"); !input.empty() && input != "null")
    command.line.input = path_from(command.line.folder, input);
  if (const std::string output = fields.string("output"); output == "inherit") {
    fields.refuse({ErrorKind::input, "a suite has no output to inherit", describe(table.at),
                   "write output = \"null\", \"pipe\", \"errors\" or a file"});
  } else if (!output.empty())
    command.line.output = is_no_file(output) ? output : path_from(command.line.folder, output);
  command.line.expected = read_expected(fields);
  constexpr std::uint64_t kMostWarmUp = 1000;
  command.line.warm_up = static_cast<int>(fields.up_to("warm_up", kMostWarmUp).value_or(0));
  constexpr std::uint64_t kMostRuns = 1'000'000;
  command.line.runs = static_cast<int>(fields.up_to("runs", kMostRuns).value_or(0));
  command.line.own_numbers = fields.boolean("own_process_numbers");
  command.line.private_tmp = fields.boolean("private_tmp");
  read_environment(fields, command.line.environment, true);
  command.params = read_params(fields);
  command.options = read_options(fields);
  command.at = read_places(fields, table);
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add(std::move(command));
}

}  // namespace tally
