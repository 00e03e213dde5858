#include "profile/rules.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/digest.h"
#include "base/text.h"
#include "profile/names.h"
#include "profile/python_functions.h"

namespace tally {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

constexpr std::size_t kDigestLength = 32;

/// Statements are compiled under names made of their digest, which depends on the compiler, too: "tally_<digest>".
std::string without_digests(std::string text) {
  constexpr std::string_view prefix = "tally_";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos; at += prefix.size()) {
    if (is_digest(std::string_view(text).substr(at + prefix.size(), kDigestLength))) {
      text.replace(at, prefix.size() + kDigestLength, "statement");
    }
  }
  return text;
}

/// "libfoo.so.1.2" → "libfoo.so"; "libfoo-1a2b3c4d.so.1" (a wheel's hash) → "libfoo.so".
std::string plain_object(std::string_view object) {
  std::string name(base_name(object));
  const std::size_t so = name.rfind(".so");
  if (so == std::string::npos) return name;
  if (is_digest(std::string_view(name).substr(0, so))) return "statement.so";
  if (so + 3 < name.size() && name[so + 3] == '.') name.resize(so + 3);
  const std::size_t dash = name.rfind('-', so);
  const auto is_hash = [](std::string_view text) {
    return text.size() >= 8 && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
  };
  if (dash != std::string::npos && is_hash(std::string_view(name).substr(dash + 1, so - dash - 1)))
    name.erase(dash, so - dash);
  return name;
}

/// "./malloc/./malloc/malloc.c" → "malloc/malloc.c": as distributions build, folder and file repeat the root.
std::string plain_file(std::string_view file) {
  std::string_view rest = file;
  for (const std::string_view root :
       {"/aten/", "/c10/", "/torch/", "/Python/", "/Objects/", "/Modules/", "/include/c++/"}) {
    const std::size_t at = rest.find(root);
    if (at != std::string_view::npos) return std::string(rest.substr(at + 1));
  }
  const std::size_t twice = rest.rfind("/./");
  if (twice != std::string_view::npos) rest = rest.substr(twice + 3);
  while (rest.starts_with("./")) rest.remove_prefix(2);
  if (rest.starts_with("/build/")) {
    const std::size_t slash = rest.find('/', 7);
    if (slash != std::string_view::npos) rest = rest.substr(slash + 1);
  }
  return std::string(rest);
}

std::string plain_function(std::string_view name) {
  if (name.starts_with("0x")) return "???";
  const std::size_t mark = name.rfind('\'');
  if (mark != std::string_view::npos && all_digits(name.substr(mark + 1))) name = name.substr(0, mark);
  std::string text = demangle(name);
  for (const std::string_view clone : {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm."}) {
    const std::size_t at = text.find(clone);
    if (at != std::string::npos) text.resize(at);
  }
  return without_digests(std::move(text));
}

}  // namespace

bool matches(const FunctionRule& rule, const FunctionKey& key) {
  if (!rule.object.empty() && !glob_match(rule.object, base_name(key.object))) return false;
  const std::string name = plain_function(key.name);
  return rule.functions.empty() ||
         std::ranges::any_of(rule.functions, [&](const std::string& glob) { return glob_match(glob, name); });
}

FunctionCounts denoise(const FunctionCounts& counts, std::span<const FunctionRule> rules) {
  if (rules.empty()) return counts;
  return counts.filtered([rules](const FunctionKey& key) {
    return std::ranges::none_of(rules, [&key](const FunctionRule& rule) { return matches(rule, key); });
  });
}

std::vector<FunctionRule> builtin_lint() {
  return {
      {"clock", "reads a clock", {"clock_gettime*", "gettimeofday*", "__vdso_*", "time", "clock"}, ""},
      {"random-device",
       "reads a random device",
       {"getrandom*", "getentropy*", "std::random_device::*", "arc4random*"},
       ""},
      {"input-output",
       "does input or output",
       {"read", "write", "pread*", "pwrite*", "open", "open64", "openat*", "fopen*", "fread*", "fwrite*", "printf",
        "puts", "send", "recv*", "poll", "select"},
       "libc*.so*"},
      {"new-thread", "starts a thread", {"pthread_create*", "clone", "clone3", "__clone*"}, ""},
      {"sleep", "waits", {"nanosleep", "clock_nanosleep*", "usleep", "sleep"}, ""},
  };
}

std::vector<LintFinding> lint(const FunctionCounts& exclusive, std::span<const FunctionRule> rules) {
  std::vector<LintFinding> findings;
  for (const FunctionRule& rule : rules) {
    FunctionCounts found;
    for (const auto& [key, count] : exclusive.entries()) {
      if (matches(rule, key)) found.add({"", "", plain_function(key.name)}, count);
    }
    for (const auto& [key, count] : found.sorted()) findings.push_back({rule.name, key.name, count});
  }
  std::ranges::sort(findings, {},
                    [](const LintFinding& one) { return std::tuple(-one.count, one.rule, one.function); });
  return findings;
}

FunctionKey standardize(const FunctionKey& key) {
  if (is_python_object(key.object)) return without_line(key);
  return {plain_object(key.object), plain_file(key.file), plain_function(key.name)};
}

}  // namespace tally
