/// Snippets compiled together must be the code that they are alone: else a case's count would depend on its neighbours.
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "build/builder.h"
#include "definition/builtin_toolchains.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using Functions = std::map<std::string, std::string>;

/// What is left of a disassembly when addresses are taken out: instructions, registers, constants, and the names of
/// functions that are called or jumped in.
std::string normalised(std::string line) {
  line = masked(line, "^\\s*[0-9a-f]+:\\s*", "");
  line = masked(line, "-?0x[0-9a-f]+\\(%rip\\)", "(%rip)");
  line = masked(line, "\\s+#.*$", "");
  return masked(line, "0x[0-9a-f]+ <", "<");
}

/// clang numbers the lambdas of a translation unit through ("$_0", "$_14"): here they count within their snippet.
std::string renumbered(const std::string& disassembly) {
  const std::regex lambda("(tally_[0-9a-f]{32}E)[0-9]+\\$_([0-9]+)");
  std::map<std::string, std::set<int>> numbers;
  const auto end = std::sregex_iterator();
  for (auto i = std::sregex_iterator(disassembly.begin(), disassembly.end(), lambda); i != end; ++i) {
    numbers[(*i)[1]].insert(std::stoi((*i)[2]));
  }
  std::string text;
  auto from = disassembly.begin();
  for (auto i = std::sregex_iterator(disassembly.begin(), disassembly.end(), lambda); i != end; ++i) {
    const std::set<int>& all = numbers[(*i)[1]];
    text.append(from, (*i)[0].first);
    text += (*i)[1].str() + "$" + std::to_string(std::distance(all.begin(), all.find(std::stoi((*i)[2]))));
    from = (*i)[0].second;
  }
  return text.append(from, disassembly.end());
}

/// By name. What the linker adds to every object (stubs, start files) is left out.
Functions functions_of(RealProcessRunner& runner, const std::string& library) {
  ProcessRequest request;
  request.argv = {"llvm-objdump-19", "-d", "--no-show-raw-insn", library};
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  request.output_limit = std::size_t{64} << 20;
  const ProcessResult result = run(runner, std::move(request));
  EXPECT_TRUE(succeeded(result)) << result.err.text();
  std::istringstream lines(renumbered(result.out.text()));
  Functions functions;
  std::string* body = nullptr;
  const std::regex heading("^[0-9a-f]+ <(.*)>:$");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with("Disassembly of section")) {
      body = nullptr;
    } else if (std::regex_match(line, match, heading)) {
      const std::string name = match[1];
      body = name.ends_with("@plt") || !name.starts_with("_Z") ? nullptr : &functions[name];
      if (name.starts_with("tally_")) body = &functions[name];
    } else if (body != nullptr && !line.empty()) {
      *body += normalised(line) + "\n";
    }
  }
  // What fills up to the next function's boundary is nobody's.
  for (auto& [name, text] : functions) text = masked(text, "((int3|nop|data16|xchgw)[^\n]*\n)*$", "");
  return functions;
}

Case snippet(const std::string& stmt, const std::string& setup = "") {
  Case one;
  one.id = stmt;
  one.toolchain = "cpp";
  one.stmt.parts = {{stmt, {}}};
  one.setup.parts = {{setup, {}}};
  return one;
}

/// Builds all cases in a cache of their own; the libraries in order.
std::vector<std::string> build(RealProcessRunner& runner, const std::map<std::string, ResolvedToolchain>& toolchains,
                               const std::vector<Case>& cases, const fs::path& cache, std::size_t batch_size,
                               const std::string& include = TALLY_SOURCE_DIR "/include",
                               std::vector<std::string>* processes = nullptr) {
  BuildOptions options;
  options.snippet_include = include;
  options.environment = {{"PATH", "/usr/bin:/bin"}};
  options.batch_size = batch_size;
  Builder builder(Cache(cache), options, toolchains, cases);
  while (!builder.done()) {
    auto tasks = builder.take_ready();
    EXPECT_TRUE(tasks);
    if (!tasks || tasks->empty()) break;
    for (BuildTask& task : *tasks) {
      if (processes != nullptr) processes->push_back(task.what);
      EXPECT_TRUE(builder.finished(task.id, run(runner, std::move(task.request))));
    }
  }
  std::vector<std::string> libraries;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_FALSE(builder.failure(i)) << builder.failure(i)->log;
    libraries.push_back(builder.built(i) ? builder.built(i)->library : "");
  }
  return libraries;
}

/// The built-in toolchain without its warm-up.
ResolvedToolchain cpp_toolchain(RealProcessRunner& runner) {
  ResolvedToolchain toolchain{builtin_toolchains().front(), {}, {}};
  EXPECT_EQ(toolchain.spec.name, "cpp");
  toolchain.spec.texts.warm_up.cpp.clear();
  FileDigests digests("/nonexistent");
  toolchain.compiler = resolve_compiler(runner, toolchain.spec, {{{"PATH", "/usr/bin:/bin"}}, {}}, digests);
  return toolchain;
}

ResolvedCompiler resolved(RealProcessRunner& runner, const std::string& compiler) {
  Toolchain toolchain = builtin_toolchains().front();
  toolchain.cpp.compilers = {compiler};
  FileDigests digests("/nonexistent");
  const auto found = resolve_compiler(runner, toolchain, {{{"PATH", "/usr/bin:/bin"}}, {}}, digests);
  EXPECT_TRUE(found) << describe(found.error());
  return found.value_or(ResolvedCompiler{});
}

std::string identity_of(RealProcessRunner& runner, const std::string& compiler) {
  return resolved(runner, compiler).identity;
}

/// As if they had been unpacked once more, a second later.
void touch_all(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      fs::last_write_time(entry.path(), fs::last_write_time(entry.path()) + std::chrono::seconds(1));
  }
}

TEST(Batch, IsTheSameCodeAsEachSnippetAlone) {
  const std::vector<Case> cases = {
      snippet("auto copy = words; std::sort(copy.begin(), copy.end()); tally::keep(copy);",
              "std::vector<std::string> words(100, \"word\");"),
      snippet("std::unordered_map<std::string, int> m; for (int i = 0; i < 9; ++i) m[std::to_string(i)] = i; "
              "tally::keep(m);"),
      snippet("std::vector<int> v; for (int i = 0; i < 1000; ++i) v.push_back(i); tally::keep(v);"),
      snippet("std::vector<int> v; v.push_back(1); std::sort(v.begin(), v.end()); tally::keep(v);"),
      snippet("auto p = std::make_shared<std::string>(100, 'x'); tally::keep(p);"),
      snippet("x = std::sin(x) * 2.5 + 1e-3; tally::keep(x);", "double x = 1.0;"),
      snippet("switch (n++ % 6) { case 0: x += 1; break; case 1: x *= 3; break; case 2: x ^= 9; break; case 3: x = ~x; "
              "break; case 4: x -= 7; break; default: x <<= 1; } tally::keep(x);",
              "unsigned n = 0, x = 1;"),
      snippet("try { if (++n % 2 == 0) throw std::runtime_error(\"even\"); } catch (const std::exception& e) { "
              "tally::keep(e); }",
              "int n = 0;")};
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const ResolvedToolchain toolchain = cpp_toolchain(runner);
  ASSERT_TRUE(*toolchain.compiler) << describe(toolchain.compiler->error());
  ASSERT_TRUE((*toolchain.compiler)->is_clang);
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  // One cache, and so one prelude: its identity is part of the functions' names.
  const fs::path cache = folder->path() / "cache";
  std::vector<std::string> alone = build(runner, {{"cpp", toolchain}}, cases, cache, 1);
  fs::rename(cache / "snippet", cache / "alone");
  for (std::string& library : alone) library = cache / "alone" / fs::path(library).filename();
  const auto batched = build(runner, {{"cpp", toolchain}}, cases, cache, cases.size());
  ASSERT_EQ(fs::hard_link_count(batched[0]), cases.size());

  const Functions together = functions_of(runner, batched[0]);
  std::size_t compared = 0;
  for (const std::string& library : alone) {
    for (const auto& [name, body] : functions_of(runner, library)) {
      ASSERT_TRUE(together.contains(name)) << name;
      EXPECT_EQ(body, together.at(name)) << name;
      ++compared;
    }
  }
  // Each snippet has its function and two loops at the least.
  EXPECT_GE(compared, 3 * cases.size());
}

/// memcmp and its like go another way near the end of a page, so where a string lies must not depend on neighbours.
TEST(Batch, EachStringConstantBeginsAtAMultipleOf64) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const ResolvedToolchain toolchain = cpp_toolchain(runner);
  ASSERT_TRUE(*toolchain.compiler) << describe(toolchain.compiler->error());
  std::vector<Case> cases;
  cases.reserve(5);
  for (int i = 0; i < 5; ++i) {
    cases.push_back(
        snippet("const char* text = \"the constant number " + std::to_string(i) + "\"; tally::keep(text);"));
  }
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto libraries = build(runner, {{"cpp", toolchain}}, cases, folder->path() / "cache", cases.size());
  // A segment's place in the file and in memory agree within a page.
  const auto bytes = read_file(libraries[0]);
  ASSERT_TRUE(bytes);
  for (int i = 0; i < 5; ++i) {
    const std::size_t at = bytes->find("the constant number " + std::to_string(i) + '\0');
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(at % 64, 0U) << i;
  }
}

/// pip writes every file anew: what was compiled with the same headers before must serve, and new snippets must compile
/// with the precompiled header that is there.
TEST(Reinstalled, TheSameHeadersAreNotCompiledAgainAndOthersAre) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const ResolvedToolchain toolchain = cpp_toolchain(runner);
  ASSERT_TRUE(*toolchain.compiler) << describe(toolchain.compiler->error());
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path include = folder->path() / "include";
  fs::copy(TALLY_SOURCE_DIR "/include", include, fs::copy_options::recursive);
  std::vector<Case> cases = {snippet("int n = 1; tally::keep(n);")};
  std::vector<std::string> processes;
  const auto build_cases = [&] {
    processes.clear();
    return build(runner, {{"cpp", toolchain}}, cases, folder->path() / "cache", 1, include, &processes);
  };
  const auto first = build_cases();
  EXPECT_EQ(processes, (std::vector<std::string>{"prelude of cpp", cases[0].id}));
  touch_all(include);
  EXPECT_EQ(build_cases(), first);
  EXPECT_EQ(processes, std::vector<std::string>{});
  cases.push_back(snippet("int m = 2; tally::keep(m);"));
  touch_all(include);
  build_cases();
  EXPECT_EQ(processes, std::vector<std::string>{cases[1].id});
  const fs::path header = include / "tally" / "snippet.h";
  ASSERT_TRUE(write_file(header, *read_file(header) + "// changed\n"));
  EXPECT_NE(build_cases(), first);
  EXPECT_EQ(processes.front(), "prelude of cpp");
}

TEST(Reinstalled, TheSameCompilerIsTheSameAndAnotherIsNot) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  for (const std::string real : {"clang++-19", "g++"}) {
    const fs::path compiler = folder->path() / ("my-" + real);
    const auto install = [&](const std::string& text) {
      ASSERT_TRUE(write_file(compiler, text));
      fs::permissions(compiler, fs::perms::owner_all);
    };
    const std::string text = "#!/bin/sh\nexec " + real + " \"$@\"\n";
    install(text);
    const std::string before = identity_of(runner, compiler);
    fs::remove(compiler);
    install(text);
    fs::last_write_time(compiler, fs::last_write_time(compiler) + std::chrono::seconds(5));
    EXPECT_EQ(identity_of(runner, compiler), before) << real;
    install(text + "# another\n");
    EXPECT_NE(identity_of(runner, compiler), before) << real;
  }
}

/// It decides where code and tables lie, and with that what some counts are.
TEST(Linker, IsKnownWithAndWithoutLld) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const ResolvedCompiler with = resolved(runner, "clang++-19");
  EXPECT_EQ(with.linker, "-fuse-ld=lld");
  EXPECT_THAT(with.linker_version, testing::HasSubstr("LLD 19"));
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path compiler = folder->path() / "without-lld";
  ASSERT_TRUE(write_file(compiler, "#!/bin/sh\ncase \"$*\" in *-fuse-ld=lld*) exit 1 ;; esac\nexec g++ \"$@\"\n"));
  fs::permissions(compiler, fs::perms::owner_all);
  const ResolvedCompiler without = resolved(runner, compiler);
  EXPECT_EQ(without.linker, "");
  EXPECT_THAT(without.linker_version, testing::StartsWith("GNU ld"));
}

}  // namespace
}  // namespace tally::cli_test
