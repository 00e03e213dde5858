// What runtimes load, such as scripted models: all of a suite in one plain Python process, each in a folder of its own.
#include <fmt/format.h>

#include <map>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "build/builder.h"
#include "build/diagnostics.h"
#include "build/identity.h"
#include "json/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Names how artifacts are made: to be changed with whatever changes what a script leaves.
constexpr std::string_view kRecipe = "a fork for each, hash seed 0, its figures beside it";

/// Beside what the script has made.
constexpr std::string_view kFigures = "made.json";

/// What a traceback says went wrong: the first line after its frames, which are indented. TorchScript's messages
/// continue for lines, of which the last is a row of "~~~ <--- HERE"; some begin behind the exception's name on a line
/// of their own.
std::string message_of(std::string_view traceback) {
  constexpr std::string_view kHead = "Traceback (most recent call last):";
  const std::size_t head = traceback.rfind(kHead);
  if (head == std::string_view::npos) return std::string(last_line(traceback));
  std::string message;
  for (const std::string_view line : split(traceback.substr(head + kHead.size()), '\n')) {
    if (message.empty() && (line.empty() || line.front() == ' ')) continue;
    const std::string_view words = trim(line);
    if (words.empty()) continue;
    message += (message.empty() ? "" : " ") + std::string(words);
    if (!message.ends_with(':')) break;
    if (message.find(' ') != std::string::npos) {
      message.pop_back();  // what follows is where
      break;
    }
  }
  return message;
}

}  // namespace

std::map<std::string, double> Builder::read_making(const fs::path& folder) {
  std::map<std::string, double> making;
  const auto text = read_file(folder / kFigures);
  if (!text) return making;
  const auto read = json::parse(*text);
  if (!read || read->object() == nullptr) return making;
  for (const auto& [name, figure] : *read->object()) {
    if (const std::optional<double> number = figure.number()) making[name] = *number;
  }
  return making;
}

/// A script may compile for the very libraries that it is run with, and write what only they can load.
std::string Builder::artifact_key(const ResolvedToolchain& toolchain, const Artifact& artifact) {
  Digest key;
  key.add(kRecipe).add(artifact.digest).add((*toolchain.interpreter)->identity);
  for (const auto& [name, fact] : toolchain.facts) key.add(name).add(fact);
  if (!toolchain.spec.python.artifact_setup.empty()) key.add(toolchain.spec.python.artifact_setup);
  return key.add(identity_of_all(toolchain.spec.cpp.preload)).hex();
}

void Builder::start_artifacts(const std::string& name) {
  const ResolvedToolchain& toolchain = toolchains_.at(name);
  const bool usable = toolchain.interpreter && *toolchain.interpreter;
  Work work{.kind = Kind::artifacts, .toolchain = name, .entries = {}, .folder = {}};
  std::set<std::string> wanted;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.toolchain != name || entry.artifact_done) continue;
    if (!usable) {
      fail_entry(entry,
                 {"toolchain",
                  toolchain.interpreter ? describe(toolchain.interpreter->error()) : "no interpreter was requested",
                  {}});
      continue;
    }
    entry.artifact_folder = cache_.artifact_folder(artifact_key(toolchain, *entry.measured->artifact)).string();
    if (fs::exists(fs::path(entry.artifact_folder) / entry.measured->artifact->name)) {
      entry.artifact_done = true;
    } else if (toolchain.carried) {
      fail_entry(entry, {"artifact",
                         fmt::format("its Python, which writes {}, is not installed here: images of another machine "
                                     "stand for it where it is counted alone",
                                     entry.measured->artifact->name),
                         {}});
    } else if (wanted.insert(entry.artifact_folder).second) {
      work.entries.push_back(i);
    }
  }
  if (!work.entries.empty()) waiting_.push_back(std::move(work));
}

Result<BuildTask> Builder::prepare_artifacts(std::uint32_t id, Work& work) {
  json::Array jobs;
  for (std::size_t i = 0; i < work.entries.size(); ++i) {
    const Artifact& artifact = *entries_[work.entries[i]].measured->artifact;
    const fs::path folder = work.folder / std::to_string(i);
    if (auto written = write_file(folder / "make_model.py", artifact.script.text()); !written)
      return std::unexpected(written.error());
    jobs.push_back(json::Object{{"folder", folder.string()}, {"script", "make_model.py"}, {"name", artifact.name}});
  }
  const ResolvedToolchain& toolchain = toolchains_.at(work.toolchain);
  std::vector<std::string> argv = {(*toolchain.interpreter)->path, options_.artifact_driver};
  argv.insert(argv.end(), toolchain.spec.python.modules.begin(), toolchain.spec.python.modules.end());
  ProcessRequest process = request(std::move(argv), work.folder);
  process.environment = with_variables(std::move(process.environment), toolchain.spec.environment);
  // The same model to the byte, whenever it is made: a model whose constants were saved in another order cost 0.24 %.
  std::erase_if(process.environment, [](const auto& variable) { return variable.first == "PYTHONHASHSEED"; });
  process.environment.emplace_back("PYTHONHASHSEED", "0");
  process.disable_aslr = true;
  process.stdin_text =
      json::to_text(json::Object{{"setup", toolchain.spec.python.artifact_setup}, {"jobs", std::move(jobs)}});
  process.output_limit = std::size_t{4} << 20;
  process.deadline = options_.deadline * static_cast<Milliseconds::rep>(work.entries.size());
  return BuildTask{id, fmt::format("{} artifacts", work.entries.size()), std::move(process)};
}

Status Builder::finish_artifacts(const Work& work, const ProcessResult& result) {
  std::map<std::size_t, std::string> errors;  // by position; absent: the driver never got there
  for (std::size_t i = 0; i < work.entries.size(); ++i) errors[i] = first_complaint(result);
  const std::string output = result.out.text();
  for (const std::string_view line : split(output, '\n')) {
    const auto answer = json::parse(line);
    if (!answer) continue;
    if (const std::uint64_t* index = (*answer)["index"].whole()) errors[*index] = (*answer)["error"].text_or("");
  }
  for (std::size_t i = 0; i < work.entries.size(); ++i) {
    const std::string folder = entries_[work.entries[i]].artifact_folder;
    std::error_code code;
    if (errors[i].empty()) {
      fs::rename(work.folder / std::to_string(i), folder, code);
      // Somebody else's identical folder may have come first.
      if (code && !fs::exists(folder)) return fail(ErrorKind::io, "cannot publish a model: " + code.message(), folder);
    }
    for (Entry& entry : entries_) {
      if (entry.artifact_folder != folder || entry.artifact_done) continue;
      if (errors[i].empty()) {
        entry.artifact_done = true;
      } else {
        const std::string text(trim(errors[i]));
        fail_entry(entry, {"artifact", message_of(text), text});
      }
    }
  }
  return {};
}

}  // namespace tally
