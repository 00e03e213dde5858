// How preludes and snippets are compiled: the part of the builder that knows compilers.
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/digest.h"
#include "base/files.h"
#include "build/builder.h"
#include "build/diagnostics.h"
#include "build/identity.h"
#include "build/source.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPreludeHeader = "prelude.h";

std::string prelude_output(bool is_clang, std::string_view id) {
  return is_clang ? fmt::format("prelude.{}.pch", id) : fmt::format("prelude.{}.h.gch", id);
}

void append_prelude(std::vector<std::string>& argv, bool is_clang, const fs::path& folder, std::string_view id) {
  if (is_clang) {
    argv.insert(argv.end(), {"-include-pch", (folder / prelude_output(true, id)).string()});
  } else {
    argv.insert(argv.end(), {"-include", (folder / fmt::format("prelude.{}.h", id)).string()});
  }
}

/// Templates that the headers themselves instantiate are otherwise instantiated again in each snippet. The snippet's
/// bytes are the same either way; with torch's headers it takes a third of the time.
bool can_instantiate_beforehand(const ResolvedCompiler& compiler) {
  constexpr std::string_view kVersion = "clang version ";
  const std::size_t at = compiler.version.find(kVersion);
  return at != std::string::npos && std::atoi(compiler.version.c_str() + at + kVersion.size()) >= 11;
}

void append_link(std::vector<std::string>& argv, const ResolvedToolchain& toolchain) {
  const std::string& linker = (*toolchain.compiler)->linker;
  if (!linker.empty()) argv.push_back(linker);
  std::set<std::string> folders;
  for (const std::string& input : (*toolchain.compiler)->link) {
    argv.push_back(input);
    if (input.starts_with('/') && input.find(".so") != std::string::npos) folders.insert(fs::path(input).parent_path());
  }
  for (const std::string& folder : folders) argv.push_back("-Wl,-rpath," + folder);
}

}  // namespace

std::vector<std::string> Builder::compile_argv(const ResolvedToolchain& toolchain) const {
  // Lines, and where code was inlined, for profiles: no instruction more. Before the toolchain's flags, which may ask
  // for more of it. DWARF 4, for Valgrind 3.19 gives up on clang's DWARF 5.
  std::vector<std::string> argv = {(*toolchain.compiler)->path, "-gdwarf-4", "-g1"};
  argv.insert(argv.end(), toolchain.spec.cpp.flags.begin(), toolchain.spec.cpp.flags.end());
  // No colours: the text is kept in the record.
  argv.insert(argv.end(), {"-fPIC", "-fdiagnostics-color=never", "-I" + options_.snippet_include});
  for (const std::string& folder : toolchain.spec.cpp.include) argv.push_back("-I" + folder);
  return argv;
}

Result<BuildTask> Builder::prepare_prelude(std::uint32_t id, Work& work) {
  const ResolvedToolchain& toolchain = toolchains_.at(work.toolchain);
  const fs::path folder = cache_.prelude_folder(prelude_keys_[work.toolchain]);
  const fs::path header = folder / kPreludeHeader;
  // Written once: a precompiled header is refused when its source looks newer.
  if (!fs::exists(header)) {
    if (auto written = write_file(header, prelude_source(toolchain.spec.cpp)); !written)
      return std::unexpected(written.error());
  }
  std::vector<std::string> argv = compile_argv(toolchain);
  // Without the headers' times, by which clang would refuse it after an installation of the same ones. Whether it is
  // current, the cache knows by what they hold.
  if ((*toolchain.compiler)->is_clang) argv.insert(argv.end(), {"-Xclang", "-fno-pch-timestamp"});
  if (can_instantiate_beforehand(**toolchain.compiler)) argv.emplace_back("-fpch-instantiate-templates");
  argv.insert(argv.end(), {"-x", "c++-header", header.string(), "-o", (work.folder / "prelude.out").string(), "-MD",
                           "-MF", (work.folder / "prelude.d").string()});
  return BuildTask{id, fmt::format("prelude of {}", work.toolchain), request(std::move(argv), work.folder)};
}

Status Builder::finish_prelude(const Work& work, const ProcessResult& result) {
  const ResolvedToolchain& toolchain = toolchains_.at(work.toolchain);
  if (!succeeded(result)) {
    for (Entry& entry : entries_) {
      if (entry.toolchain == work.toolchain && !entry.snippet_done) {
        fail_entry(entry, {"build",
                           fmt::format("the prelude of toolchain '{}' does not compile: {}", work.toolchain,
                                       first_complaint(result)),
                           result.err.text()});
      }
    }
    return {};
  }
  const auto depfile = read_file(work.folder / "prelude.d");
  if (!depfile) return std::unexpected(depfile.error());
  const std::vector<std::string> headers = parse_dependencies(*depfile);
  // What they hold now may not be what was read: clang was not to note their times. Once, for a clock may be wrong.
  std::vector<std::string> of_others = headers;
  std::erase_if(of_others, [&](const std::string& path) { return path.starts_with(cache_.root().string()); });
  if (const auto last = last_change(of_others); last && *last >= work.began && !work.again) {
    waiting_.push_back({.kind = work.kind, .toolchain = work.toolchain, .entries = {}, .folder = {}, .again = true});
    return {};
  }
  const std::string id = content_of_all(headers);
  const std::string& key = prelude_keys_[work.toolchain];
  const fs::path folder = cache_.prelude_folder(key);
  const bool is_clang = (*toolchain.compiler)->is_clang;
  std::error_code code;
  fs::rename(work.folder / "prelude.out", folder / prelude_output(is_clang, id), code);
  if (code) return fail(ErrorKind::io, "cannot publish a precompiled prelude: " + code.message(), folder.string());
  if (!is_clang) {
    const fs::path header = folder / fmt::format("prelude.{}.h", id);
    if (auto written = write_file(header, prelude_source(toolchain.spec.cpp)); !written) return written;
  }
  if (auto current = cache_.set_current_prelude(key, id, headers); !current) return current;
  prelude_known(work.toolchain, id);
  return {};
}

Result<BuildTask> Builder::prepare_snippets(std::uint32_t id, Work& work) {
  const ResolvedToolchain& toolchain = toolchains_.at(work.toolchain);
  std::string source = file_start();
  for (const std::size_t index : work.entries)
    source += source_of(entries_[index], "tally_" + entries_[index].key, true);
  const fs::path file = work.folder / "snippet.cc";
  if (auto written = write_file(file, source); !written) return std::unexpected(written.error());
  std::vector<std::string> argv = compile_argv(toolchain);
  append_prelude(argv, (*toolchain.compiler)->is_clang, cache_.prelude_folder(prelude_keys_[work.toolchain]),
                 prelude_ids_[work.toolchain]);
  argv.insert(argv.end(), {"-shared", "-MD", "-MF", (work.folder / "snippet.d").string(), file.string(), "-o",
                           (work.folder / "snippet.so").string()});
  append_link(argv, toolchain);
  const std::string what = work.entries.size() > 1 ? fmt::format("{} snippets", work.entries.size())
                           : entries_[work.entries[0]].measured == nullptr
                               ? fmt::format("warm-up of {}", work.toolchain)
                               : entries_[work.entries[0]].measured->id;
  return BuildTask{id, what, request(std::move(argv), work.folder)};
}

Status Builder::finish_snippets(const Work& work, const ProcessResult& result) {
  if (!succeeded(result) && work.entries.size() > 1 && std::holds_alternative<Exited>(result.outcome)) {
    for (const std::size_t index : work.entries) {
      waiting_.push_back({.kind = Kind::snippets, .toolchain = work.toolchain, .entries = {index}, .folder = {}});
    }
    return {};
  }
  for (const std::size_t index : work.entries) {
    const std::string key = entries_[index].key;
    if (succeeded(result)) {
      if (entries_[index].measured != nullptr && !entries_[index].measured->global_setup.empty()) {
        const auto depfile = read_file(work.folder / "snippet.d");
        if (!depfile) return std::unexpected(depfile.error());
        std::vector<std::string> headers = parse_dependencies(*depfile);
        std::erase_if(headers, [&](const std::string& path) { return path.starts_with(cache_.root().string()); });
        if (auto noted = cache_.set_snippet_headers(key, headers); !noted) return noted;
      }
      // A link for each member of a batch, and one rename at a time: readers never see a half.
      const fs::path linked = work.folder / (key + ".so");
      std::error_code code;
      fs::create_hard_link(work.folder / "snippet.so", linked, code);
      if (code) fs::copy_file(work.folder / "snippet.so", linked, code);
      if (!code && entries_[index].measured != nullptr) {
        if (auto noted = cache_.set_snippet_places(key, places_of(*entries_[index].measured)); !noted) return noted;
      }
      if (!code) fs::rename(linked, cache_.snippet(key), code);
      if (code) return fail(ErrorKind::io, "cannot publish a snippet: " + code.message(), cache_.snippet(key).string());
    }
    for (Entry& entry : entries_) {
      if (entry.key != key || entry.snippet_done) continue;
      if (succeeded(result)) {
        entry.snippet_done = true;
      } else {
        fail_entry(entry, {"build", first_complaint(result), result.err.text()});
      }
    }
  }
  return {};
}

}  // namespace tally
