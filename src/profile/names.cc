#include "profile/names.h"

#include <cxxabi.h>
#define HAVE_DECL_BASENAME 1  // else it declares one that C++ libraries have otherwise
#include <libiberty/demangle.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace tally {
namespace {

/// Where the bracket opened at `open` closes, or npos. Only the bracket's own kind is counted, and "->" is no bracket.
std::size_t closing(std::string_view text, std::size_t open) {
  const char opens = text[open];
  const char closes = opens == '(' ? ')' : opens == '<' ? '>' : opens == '{' ? '}' : ']';
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opens) ++depth;
    if (text[i] == closes && !(closes == '>' && i > 0 && text[i - 1] == '-') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Length of an operator's symbol ("<<", "()", "->*", " new[]") at the start of `text`.
std::size_t operator_length(std::string_view text) {
  for (const std::string_view symbol :
       {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return 0;
}

}  // namespace

std::string demangle(std::string_view name) {
  const bool is_rust_only = name.starts_with("_R");
  if (!is_rust_only && !name.starts_with("_Z")) return std::string(name);
  // Callgrind's contexts and recursion levels follow an apostrophe, compilers' clones a dot, which Rust's names may
  // have anywhere.
  const std::size_t apostrophe = std::min(name.find('\''), name.size());
  // It leaves out the hash at the end of Rust's older names: another build of the same function has another one.
  const std::unique_ptr<char, decltype(&std::free)> rust(
      rust_demangle(std::string(name.substr(0, apostrophe)).c_str(), DMGL_PARAMS), &std::free);
  if (rust) return rust.get() + std::string(name.substr(apostrophe));
  if (is_rust_only) return std::string(name);
  const std::size_t end = std::min(name.find('\''), name.find('.'));
  const std::string symbol(name.substr(0, end));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || !text) return std::string(name);
  return std::string(text.get()) + (end == std::string_view::npos ? "" : std::string(name.substr(end)));
}

bool is_python_name(std::string_view name) {
  constexpr std::string_view kAgain = " (recursive)";
  if (name.ends_with(kAgain)) name.remove_suffix(kAgain.size());
  const std::size_t open = name.rfind(" (");
  const std::size_t colon = name.rfind(':');
  if (!name.ends_with(')') || open == std::string_view::npos) return false;
  if (name.ends_with(" (generated code)")) return true;
  if (colon == std::string_view::npos || colon < open || colon + 2 >= name.size()) return false;
  const std::string_view digits = name.substr(colon + 1, name.size() - colon - 2);
  return std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string shorten(std::string_view demangled) {
  if (is_python_name(demangled)) return std::string(demangled);
  const std::string text = replace_all(
      replace_all(std::string(demangled),
                  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
      "(anonymous namespace)", "{anonymous}");
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    constexpr std::string_view op = "operator";
    const bool whole_word =
        i == 0 || text[i - 1] == ':' || text[i - 1] == ' ' || text[i - 1] == '&' || text[i - 1] == '*';
    if (whole_word && rest.starts_with(op)) {
      const std::size_t length = op.size() + operator_length(rest.substr(op.size()));
      out += rest.substr(0, length);
      i += length;
    } else if (text[i] == '(' || text[i] == '<') {
      const std::size_t close = closing(text, i);
      // A method of Go, "sort.(*IntSlice).Less".
      if (i > 0 && text[i - 1] == '.' && rest.starts_with("(*") && close != std::string::npos) {
        out += rest.substr(0, close + 1 - i);
        i = close + 1;
        continue;
      }
      // "<built-in method …>" and the like are names, not brackets around arguments.
      if (close == std::string::npos || (i == 0 && text[i] == '<') || (i == 0 && text[i] == '(')) {
        out += text[i++];
        continue;
      }
      if (text[i] == '<') out += "<…>";
      i = close + 1;
      // "(int) const" ends the name; "(…)::{lambda…}" continues it.
      for (const std::string_view word : {" const", " &&", " &", " volatile"}) {
        if (text[close] == ')' && std::string_view(text).substr(i).starts_with(word)) i += word.size();
      }
    } else {
      out += text[i++];
    }
  }
  // What stands before the last space outside brackets is a return type; operators keep their spaces.
  const std::size_t space = out.find(' ');
  const bool is_cpp = out.find("::") != std::string::npos || out != demangled;
  if (is_cpp && space != std::string::npos && out.find("operator") == std::string::npos && out.find('{') > out.size() &&
      !out.starts_with('(') && !out.starts_with('<')) {
    const std::size_t last = out.rfind(' ');
    if (last + 1 < out.size() && out[last + 1] != '[') out = out.substr(last + 1);
  }
  return out;
}

std::string readable_name(std::string_view name) { return shorten(demangle(name)); }

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

}  // namespace tally
