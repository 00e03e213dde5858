#include "build/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ranges>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "build/diagnostics.h"
#include "build/identity.h"
#include "build/source.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Why the toolchain that was found has not what a case runs with; empty: it has.
std::string lacking(const ResolvedToolchain& toolchain, const Case& one) {
  const auto found = toolchain.no_runtime.find(one.runtime);
  const std::string why = found == toolchain.no_runtime.end() ? "" : found->second.in(one.language);
  if (why.empty()) return {};
  return fmt::format("no {} cases in {} with toolchain '{}': {}", one.runtime,
                     one.language == Language::cpp ? "C++" : "Python", toolchain.spec.name, why);
}

}  // namespace

Builder::Builder(Cache cache, BuildOptions options, const std::map<std::string, ResolvedToolchain>& toolchains,
                 std::span<const Case> cases)
    : cache_(std::move(cache)), options_(std::move(options)), toolchains_(toolchains) {
  std::set<std::string> with_cpp;
  std::set<std::string> with_artifacts;
  for (const Case& one : cases) {
    Entry entry{.measured = &one, .toolchain = one.toolchain};
    if (const std::string why = lacking(toolchains_.at(one.toolchain), one); !why.empty()) {
      entry.failure = {"toolchain", why, {}};
      entry.snippet_done = entry.artifact_done = true;
      entries_.push_back(std::move(entry));
      continue;
    }
    entry.snippet_done =
        one.language != Language::cpp || !toolchains_.at(one.toolchain).spec.own_host.executable.empty();
    entry.artifact_done = !one.artifact.has_value();
    if (!entry.snippet_done) with_cpp.insert(one.toolchain);
    if (!entry.artifact_done) with_artifacts.insert(one.toolchain);
    entries_.push_back(std::move(entry));
  }
  for (const std::string& name : with_cpp) {
    if (toolchains_.at(name).spec.texts.warm_up.cpp.empty()) continue;
    warm_ups_[name] = entries_.size();
    entries_.push_back(Entry{.measured = nullptr, .toolchain = name, .artifact_done = true});
  }
  for (const std::string& name : with_cpp) start_toolchain(name);
  for (const std::string& name : with_artifacts) start_artifacts(name);
  for (Entry& entry : entries_) settle(entry);
}

void Builder::fail_entry(Entry& entry, BuildFailure failure) {
  if (!entry.failure) entry.failure = std::move(failure);
}

void Builder::settle(Entry& entry) {
  if (entry.built || entry.failure || !entry.snippet_done || !entry.artifact_done) return;
  BuiltCase built{.folder = entry.artifact_folder};
  if (!entry.artifact_folder.empty()) built.making = read_making(entry.artifact_folder);
  const bool in_program =
      entry.measured != nullptr && !toolchains_.at(entry.toolchain).spec.own_host.executable.empty();
  if (in_program) built.symbol = entry.measured->stmt.text();
  if (!entry.key.empty()) {
    built.library = cache_.snippet(entry.key).string();
    built.symbol = "tally_" + entry.key;
  }
  entry.built = std::move(built);
}

std::optional<BuiltCase> Builder::warm_up(const std::string& toolchain) const {
  const auto found = warm_ups_.find(toolchain);
  return found == warm_ups_.end() ? std::nullopt : entries_[found->second].built;
}

const BuildFailure* Builder::warm_up_failure(const std::string& toolchain) const {
  const auto found = warm_ups_.find(toolchain);
  if (found == warm_ups_.end() || !entries_[found->second].failure) return nullptr;
  return &*entries_[found->second].failure;
}

bool Builder::warm_up_settled(const std::string& toolchain) const {
  const auto found = warm_ups_.find(toolchain);
  return found == warm_ups_.end() || entries_[found->second].built || entries_[found->second].failure;
}

std::string Builder::source_of(const Entry& entry, std::string_view symbol, bool with_lines) const {
  const Toolchain& toolchain = toolchains_.at(entry.toolchain).spec;
  if (entry.measured == nullptr) return warm_up_source(toolchain.texts, symbol);
  return case_source(*entry.measured, toolchain, symbol, with_lines ? Lines::of_suite : Lines::none,
                     options_.examined ? Purpose::examined
                     : entry.on_device ? Purpose::on_device
                                       : Purpose::measured);
}

std::string Builder::key_of(const Entry& entry) const {
  return Digest()
      .add(prelude_keys_.at(entry.toolchain))
      .add(prelude_ids_.at(entry.toolchain))
      .add(source_of(entry, "tally", false))
      .hex();
}

bool Builder::move_to_device(std::size_t index) {
  Entry& entry = entries_[index];
  if (entry.key.empty() || !entry.built || std::exchange(entry.on_device, true)) return false;
  const std::string key = key_of(entry);
  if (key == entry.key) return false;
  entry.key = key;
  entry.built.reset();
  entry.snippet_done = cache_.has_snippet(key);
  if (!entry.snippet_done)
    waiting_.push_back({.kind = Kind::snippets, .toolchain = entry.toolchain, .entries = {index}, .folder = {}});
  settle(entry);
  return true;
}

std::string Builder::prelude_key(const ResolvedToolchain& toolchain) const {
  Digest digest;
  digest.add((*toolchain.compiler)->identity);
  for (const std::string& argument : compile_argv(toolchain)) digest.add(argument);
  return digest.add(prelude_source(toolchain.spec.cpp)).add(file_start()).hex();
}

void Builder::start_toolchain(const std::string& name) {
  const ResolvedToolchain& toolchain = toolchains_.at(name);
  if (!toolchain.compiler || !*toolchain.compiler) {
    const std::string reason = toolchain.compiler ? describe(toolchain.compiler->error()) : "no compiler was requested";
    for (Entry& entry : entries_) {
      if (entry.toolchain == name && !entry.snippet_done) fail_entry(entry, {"toolchain", reason, {}});
    }
    return;
  }
  prelude_keys_[name] = prelude_key(toolchain);
  if (const auto id = cache_.current_prelude(prelude_keys_[name])) {
    prelude_known(name, *id);
  } else {
    waiting_.push_back({.kind = Kind::prelude, .toolchain = name, .entries = {}, .folder = {}});
  }
}

/// Which snippets are missing is known once the prelude's headers are known.
void Builder::prelude_known(const std::string& name, const std::string& id) {
  prelude_ids_[name] = id;
  std::vector<std::size_t> together;
  const auto flush = [&] {
    if (!together.empty())
      waiting_.push_back({.kind = Kind::snippets, .toolchain = name, .entries = std::move(together), .folder = {}});
    together.clear();
  };
  const bool batches = (*toolchains_.at(name).compiler)->is_clang;
  std::map<std::string, std::size_t> seen;  // equal text is compiled once
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.toolchain != name || entry.snippet_done) continue;
    entry.key = key_of(entry);
    if (cache_.has_snippet(entry.key)) {
      entry.snippet_done = true;
      settle(entry);
      continue;
    }
    if (!seen.emplace(entry.key, i).second) continue;
    const bool alone = !batches || entry.measured == nullptr || !entry.measured->global_setup.empty();
    if (alone) {
      Work work{.kind = Kind::snippets, .toolchain = name, .entries = {i}, .folder = {}};
      // A host cannot start before its warm-up code is there.
      waiting_.insert(entry.measured == nullptr ? waiting_.begin() : waiting_.end(), std::move(work));
      continue;
    }
    together.push_back(i);
    if (together.size() >= options_.batch_size) flush();
  }
  flush();
}

Result<std::vector<BuildTask>> Builder::take_ready() {
  std::vector<BuildTask> tasks;
  for (Work& work : std::exchange(waiting_, {})) {
    const std::uint32_t id = ++last_id_;
    auto task = prepare(id, work);
    if (!task) return std::unexpected(with_cache_hint(task.error()));
    tasks.push_back(*std::move(task));
    running_.emplace(id, std::move(work));
  }
  return tasks;
}

namespace {

/// By the kernel for want of memory, most of the time: there may be enough a moment later. A compiler's driver outlives
/// its parts, and reports their end.
bool was_killed(const ProcessResult& result) {
  if (const auto* signaled = std::get_if<Signaled>(&result.outcome)) return signaled->signal == SIGKILL;
  if (!std::holds_alternative<Exited>(result.outcome) || succeeded(result)) return false;
  const std::string text = result.err.text();
  return text.contains("Killed signal terminated program")      // g++
         || text.contains("unable to execute command: Killed")  // clang++
         || text.contains("terminated with signal 9");          // collect2
}

/// The line in which a compiler says that the system took nothing more from it. No text that is compiled is at fault,
/// and all others would fail likewise.
std::string refused_by_disk(const ProcessResult& result) {
  if (!std::holds_alternative<Exited>(result.outcome) || succeeded(result)) return {};
  const std::string text = result.err.text();
  for (const int code : {ENOSPC, EDQUOT, EROFS}) {
    for (const std::string_view line : split(text, '\n')) {
      // Compilers quote what they compile behind a bar.
      if (line.contains(std::strerror(code)) && !line.contains(" | ")) return std::string(trim(line));
    }
  }
  return {};
}

}  // namespace

Status Builder::finished(std::uint32_t id, const ProcessResult& result) {
  const auto node = running_.extract(id);
  if (node.empty()) return fail(ErrorKind::internal, fmt::format("build task {} was not running", id));
  const Work& work = node.mapped();
  std::error_code ignored;
  if (was_killed(result) && !work.again) {
    fs::remove_all(work.folder, ignored);
    waiting_.push_back(
        {.kind = work.kind, .toolchain = work.toolchain, .entries = work.entries, .folder = {}, .again = true});
    return {};
  }
  if (const std::string line = refused_by_disk(result); !line.empty()) {
    fs::remove_all(work.folder, ignored);
    return fail(ErrorKind::io, line, cache_.root().string(),
                "set XDG_CACHE_HOME, and TMPDIR for compilers, to folders that can be written and have room");
  }
  Status status;
  switch (work.kind) {
    case Kind::prelude:
      status = finish_prelude(work, result);
      break;
    case Kind::snippets:
      status = finish_snippets(work, result);
      break;
    case Kind::artifacts:
      status = finish_artifacts(work, result);
      break;
  }
  fs::remove_all(work.folder, ignored);
  for (Entry& entry : entries_) settle(entry);
  return status ? status : std::unexpected(with_cache_hint(status.error()));
}

Result<BuildTask> Builder::prepare(std::uint32_t id, Work& work) {
  auto folder = cache_.scratch();
  if (!folder) return std::unexpected(folder.error());
  work.folder = *folder;
  work.began = std::chrono::system_clock::now();
  switch (work.kind) {
    case Kind::prelude:
      return prepare_prelude(id, work);
    case Kind::snippets:
      return prepare_snippets(id, work);
    default:
      return prepare_artifacts(id, work);
  }
}

ProcessRequest Builder::request(std::vector<std::string> argv, const fs::path& folder) const {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = options_.environment;
  request.working_folder = folder.string();
  request.deadline = options_.deadline;
  return request;
}

}  // namespace tally
