#include "definition/read_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "definition/fields.h"
#include "definition/read_definitions.h"
#include "definition/read_program.h"
#include "definition/read_toolchain.h"
#include "definition/toml_tree.h"

namespace tally {
namespace {

constexpr auto kSuiteKeys = std::to_array<std::string_view>(
    {"schema", "toolchain", "include", "defaults", "setup", "benchmark", "variants", "timer", "program", "command"});
constexpr std::int64_t kSchema = 1;
/// Includes nest; deeper than this is a mistake, and would end our stack.
constexpr std::size_t kMaxDepth = 32;

class Reader {
 public:
  Reader(const IncludeResolver& resolve, const ProgramLister& list, const std::string& folder)
      : resolve_(resolve), list_(list), folder_(folder) {}

  Status read(std::string_view bytes, const std::string& file) {
    const Result<TomlNode> root = parse_toml(bytes, file);
    if (!root) return std::unexpected(root.error());
    return read(*root, file);
  }

  Status read(const TomlNode& root, const std::string& file) {
    chain_.push_back(std::filesystem::path(file).lexically_normal().string());
    done_.insert(chain_.back());
    Status ok = read_root(root, file);
    chain_.pop_back();
    return ok;
  }

  Suite take() { return std::move(suite_); }

 private:
  Status read_root(const TomlNode& root, const std::string& file) {
    Fields fields(root, "the suite", kSuiteKeys);
    const std::vector<std::string> includes = fields.strings("include");
    for (std::string_view table : {"defaults", "setup"}) expect(fields, table, TomlNode::Kind::table, "a table");
    for (std::string_view array : {"benchmark", "variants", "timer", "program", "command"}) {
      expect(fields, array, TomlNode::Kind::array, "an array of tables");
    }
    if (Status ok = fields.status(); !ok) return ok;
    if (Status ok = check_schema(fields, file); !ok) return ok;
    for (std::size_t i = 0; i < includes.size(); ++i) {
      const TomlNode& node = *fields.find("include");
      if (Status ok = include(includes[i], file, node.kind == TomlNode::Kind::array ? node.items[i] : node); !ok)
        return ok;
    }
    std::string toolchain;
    if (Status ok = read_toolchains(fields, file, toolchain); !ok) return ok;
    if (const TomlNode* setups = fields.find("setup")) {
      for (const TomlEntry& entry : setups->entries) {
        if (Status ok = read_setup(entry.key, entry.value, suite_); !ok) return ok;
      }
    }
    if (Status ok = read_defaults(fields.find("defaults"), toolchain, suite_); !ok) return ok;
    return read_all(fields, folder_of(file));
  }

  static void expect(Fields& fields, std::string_view key, TomlNode::Kind kind, std::string_view wanted) {
    const TomlNode* node = fields.find(key);
    if (node == nullptr || node->kind == kind) return;
    fields.refuse({ErrorKind::input,
                   fmt::format("'{}' must be {}, not {} ({})", key, wanted, describe(node->kind), node->written),
                   describe(node->at),
                   kind == TomlNode::Kind::array ? fmt::format("write [[{}]]", key) : fmt::format("write [{}]", key)});
  }

  static Status check_schema(const Fields& fields, const std::string& file) {
    const TomlNode* node = fields.find("schema");
    if (node == nullptr)
      return fail(ErrorKind::input, "the suite does not say its schema", file + ":1:1", "begin it with schema = 1");
    if (node->kind == TomlNode::Kind::integer && node->integer == kSchema) return {};
    return fail(ErrorKind::input, fmt::format("this tally reads schema 1, not {}", node->written), describe(node->at),
                "write schema = 1, or use a newer tally");
  }

  Status include(const std::string& name, const std::string& file, const TomlNode& node) {
    const auto path = std::filesystem::path(file).parent_path() / name;
    const std::string normal = path.lexically_normal().string();
    if (const auto begin = std::ranges::find(chain_, normal); begin != chain_.end()) {
      return fail(ErrorKind::input,
                  fmt::format("suites include each other in a circle: {} -> {}", fmt::join(begin, chain_.end(), " -> "),
                              normal),
                  describe(node.at), "take one of these includes out");
    }
    // A suite that two others include is read once.
    if (done_.contains(normal)) return {};
    if (chain_.size() >= kMaxDepth) {
      return fail(ErrorKind::input, fmt::format("includes nest deeper than {}", kMaxDepth), describe(node.at),
                  "include the suites from one place");
    }
    const Result<std::string> bytes = resolve_(normal);
    if (!bytes) {
      return fail(ErrorKind::input, fmt::format("cannot include '{}': {}", name, bytes.error().message),
                  describe(node.at), "give a path relative to this suite");
    }
    return read(*bytes, normal);
  }

  /// `preferred` becomes the toolchain for definitions that name none: toolchain = "…", or the only one of this file.
  Status read_toolchains(Fields& fields, const std::string& file, std::string& preferred) {
    const TomlNode* node = fields.find("toolchain");
    if (node == nullptr) return {};
    if (node->kind == TomlNode::Kind::string) {
      preferred = node->text;
      const Result<Toolchain> known = suite_.toolchain(preferred, node->at);
      if (!known) return std::unexpected(known.error());
      return {};
    }
    if (node->kind != TomlNode::Kind::table) {
      return fail(
          ErrorKind::input,
          fmt::format("'toolchain' must be a name or a table, not {} ({})", describe(node->kind), node->written),
          describe(node->at), "write toolchain = \"torch\" or [toolchain.NAME]");
    }
    const std::string folder = folder_of(file);
    for (const TomlEntry& entry : node->entries) {
      Result<Toolchain> toolchain = read_toolchain(entry.key, entry.value, folder, suite_.toolchains());
      if (!toolchain) return std::unexpected(toolchain.error());
      if (Status ok = suite_.add_toolchain(std::move(*toolchain), entry.value.at); !ok) return ok;
    }
    if (node->entries.size() == 1) preferred = node->entries[0].key;
    return {};
  }

  [[nodiscard]] std::string folder_of(const std::string& file) const {
    std::error_code ignored;
    return std::filesystem::absolute(std::filesystem::path(folder_) / file, ignored).parent_path().string();
  }

  /// The forms stand in arrays of their own; a suite means the order in which it is written.
  Status read_all(const Fields& fields, const std::string& folder) {
    using Read = std::function<Status(const TomlNode&, Suite&)>;
    struct Item {
      const TomlNode* node;
      std::size_t order;  ///< Decides where there are no lines.
      Read read;
    };
    std::vector<Item> items;
    const auto gather = [&](std::string_view key, const Read& read) {
      const TomlNode* array = fields.find(key);
      if (array == nullptr) return;
      for (const TomlNode& node : array->items) items.push_back({&node, items.size(), read});
    };
    gather("benchmark", read_benchmark);
    gather("variants", read_variants);
    gather("timer", read_timer);
    gather("command", [&](const TomlNode& node, Suite& suite) { return read_command(node, folder, suite); });
    gather("program", [&](const TomlNode& node, Suite& suite) { return read_program(node, folder, list_, suite); });
    std::ranges::sort(
        items, {}, [](const Item& item) { return std::tuple{item.node->at.line, item.node->at.column, item.order}; });
    for (const Item& item : items) {
      if (Status ok = item.read(*item.node, suite_); !ok) return ok;
    }
    return {};
  }

  const IncludeResolver& resolve_;
  const ProgramLister& list_;
  const std::string& folder_;
  Suite suite_;
  std::vector<std::string> chain_;
  std::set<std::string> done_;
};

}  // namespace

Result<std::string> read_suite_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorKind::input, "this is a folder", path, "name a suite file (.toml)");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(errno_error("read the suite", path));
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::unexpected(errno_error("read the suite", path));
  return bytes;
}

Result<Suite> parse_suite(const TomlNode& root, const std::string& file, const IncludeResolver& resolve,
                          const ProgramLister& list, const std::string& folder) {
  Reader reader(resolve, list, folder);
  if (Status ok = reader.read(root, file); !ok) return std::unexpected(ok.error());
  return reader.take();
}

Result<Suite> parse_suite(std::string_view bytes, const std::string& file, const IncludeResolver& resolve,
                          const ProgramLister& list, const std::string& folder) {
  Reader reader(resolve, list, folder);
  if (Status ok = reader.read(bytes, file); !ok) return std::unexpected(ok.error());
  return reader.take();
}

Result<Suite> read_suite(const std::filesystem::path& path, const ProgramLister& list) {
  Result<std::string> bytes = read_suite_file(path.string());
  if (!bytes) {
    // An unreadable suite is the user's to fix, whatever the operating system's reason.
    bytes.error().kind = ErrorKind::input;
    return std::unexpected(bytes.error());
  }
  return parse_suite(*bytes, path.string(), read_suite_file, list);
}

}  // namespace tally
