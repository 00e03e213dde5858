#!/bin/sh
# history_screenshots.sh [OUT]: makes the pictures of docs/guides/history.md from a real history: a repository of a dozen commits
# is made up, each is measured, and a site is written. Takes minutes; look at every picture before you keep it.
#
# Needs a built tally (TALLY: build/release/tally), git, Debian's chromium and npm. OUT: docs/images.
set -eu
cd "$(dirname "$0")/../.."
tally=$(realpath "${TALLY:-build/release/tally}")
out=$(realpath "${1:-docs/images}")
browser=${CHROMIUM:-$(command -v chromium)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/words" "$work/records"

cp tests/browser/package.json tests/browser/package-lock.json tests/browser/browser.mjs tests/browser/history_screenshots.mjs \
  "$work/"
cd "$work/words"
git init --quiet --initial-branch=main

cat >suite.toml <<'TOML'
schema = 1
[toolchain.words]
extends = "cpp"
include = ["."]
prelude = ["words.h"]

[setup.text]
cpp = '''
std::string text;
for (unsigned i = 0, v = 1; i < ${length}; ++i, v = v * 1664525 + 1013904223) text += (v >> 24) % 6 == 0 ? ' ' : 'a' + (v >> 16) % 20;
'''

[defaults]
toolchain = "words"

[[benchmark]]
label = ["words", "count"]
cpp = 'tally::keep(words::count(text));'
setup = "text"
params = { length = [100, 1000] }

[[benchmark]]
label = ["words", "split"]
cpp = 'tally::keep(words::split(text).data());'
setup = "text"
params = { length = [100, 1000] }

[[benchmark]]
label = ["words", "longest"]
cpp = 'tally::keep(words::longest(text).data());'
setup = "text"
params = { length = [100, 1000] }

[[benchmark]]
label = ["words", "frequent"]
cpp = 'tally::keep(words::frequent(text).data());'
setup = "text"
params = { length = [100, 1000] }
TOML

cat >words.h <<'CPP'
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace words {

[[gnu::noinline]] inline bool is_blank(char letter) { return letter == ' '; }

[[gnu::noinline]] inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::string word;
  for (const char letter : text) {
    if (!is_blank(letter)) {
      word += letter;
    } else if (!word.empty()) {
      parts.push_back(word);
      word.clear();
    }
  }
  if (!word.empty()) parts.push_back(word);
  return parts;
}

inline std::size_t count(const std::string& text) { return split(text).size(); }

inline std::string longest(const std::string& text) {
  auto parts = split(text);
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return parts.empty() ? std::string() : parts.front();
}

inline std::string frequent(const std::string& text) {
  std::map<std::string, int> times;
  for (const std::string& word : split(text)) ++times[word];
  std::string best;
  for (const auto& [word, n] : times)
    if (best.empty() || n > times[best]) best = word;
  return best;
}

}  // namespace words
CPP

commits=0
# record AUTHOR TITLE [SED…]: changes words.h, commits, measures; with NOT_MEASURED set it does not.
record() {
  author=$1
  title=$2
  shift 2
  for change in "$@"; do sed -i "$change" words.h; done
  git add --all
  git -c user.name="$author" -c user.email=nobody@example.org commit --quiet --allow-empty --message "$title"
  commits=$((commits + 1))
  [ -z "${NOT_MEASURED:-}" ] || return 0
  "$tally" run suite.toml --profiles --quiet --json "$work/records/$commits.json" >"$work/log.txt"
  "$tally" history add "$work/records/$commits.json" --store "$work/store" >>"$work/log.txt"
}

record Ada 'Split, count and rank words'
record Grace 'Say what a word is' '/^inline std::size_t count/i // A word is what stands between blanks.'
record Ada 'Reserve room for words' 's|^  std::string word;|&\n  parts.reserve(text.size() / 5);|'
record Grace 'Tabs are blanks, too' "s/return letter == ' ';/return letter == ' ' || letter == '\\\\t';/"
cat >tally-accept.toml <<TOML
[[accept]]
case = "words/*"
metric = "instructions"
up_to = "+30%"
reason = "tabs are blanks"
expires = 2099-12-31
commit = "$(git rev-parse HEAD)"
owner = "Grace"
issue = "#12"
TOML
record Ada 'Note the acknowledged changes'
record Edsger 'Count words without keeping them' \
  's|^inline std::size_t count.*|[[gnu::noinline]] inline std::size_t count(const std::string\& text) {\n  std::size_t words = 0;\n  bool inside = false;\n  for (const char letter : text) {\n    words += !inside \&\& !is_blank(letter);\n    inside = !is_blank(letter);\n  }\n  return words;\n}|'
record Ada 'Explain the order of words' '/^inline std::string longest/i // The first of the longest.'
record Grace 'Move words instead of copying them' 's/parts.push_back(word);$/parts.push_back(std::move(word));/'
NOT_MEASURED=1 record Edsger 'Compare letters before words'
record Edsger 'Keep words of equal length in order' 's/std::sort(/std::stable_sort(/'
record Ada 'Mention the licence' '1i // MIT'
record Grace 'Guess no number of words' '/parts.reserve/d'
record Ada 'Name the author' '1i // Ada and others'

"$tally" history log --store "$work/store"
"$tally" history site --store "$work/store" -o "$work/site" --title 'The words library'
cd "$work"
npm ci --silent --no-audit --no-fund
CHROMIUM=$browser node history_screenshots.mjs
for picture in "$work"/*.png; do
  if command -v pngquant >/dev/null; then pngquant --force --ext .png 96 "$picture"; fi
  cp "$picture" "$out/"
done
if [ -n "${KEEP_SITE:-}" ]; then cp -r "$work/site" "$KEEP_SITE"; fi
