# What the scripts of the action share. Each of them reads this file.
#
# They run on a runner of GitHub Actions: a line of output that begins with `::` is a command to it, and GITHUB_OUTPUT is
# the file that takes a step's outputs.
# shellcheck shell=bash

# annotate KIND TEXT: an error, warning or notice on the page of the run.
annotate() {
  local text=${2//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '::%s title=Tallymark::%s\n' "$1" "${text//$'\n'/%0A}"
}

# fail CODE TEXT
fail() {
  annotate error "$2"
  exit "$1"
}

# output NAME VALUE, for the steps that follow
output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

# The words of a text go into the array `words`. Quotes mean what they mean in a shell, but no shell reads the text.
split_words() {
  local lines
  lines=$(printf '%s' "$1" | xargs -r printf '%s\n') || fail 2 "these arguments cannot be divided into words: $1"
  words=()
  if [ -n "$lines" ]; then mapfile -t words <<<"$lines"; fi
}

# The lines of a text that have something in them go into the array `lines`.
split_lines() {
  local line
  lines=()
  while read -r line; do
    if [ -n "$line" ]; then lines+=("$line"); fi
  done <<<"$1"
}

# The suites that the arguments in `words` name go into the array `suites`, as paths below the working folder.
find_suites() {
  local word
  suites=()
  for word in "${words[@]}"; do
    if [[ $word = *.toml && $word != /* && /$word != */../* && -f $word ]]; then suites+=("$word"); fi
  done
}

# shortened BYTES FILE: its text, or the beginning of it. iconv takes away the character that the cut went through, and
# then it answers with 1.
shortened() {
  head -c "$1" "$2" | iconv -c -f UTF-8 -t UTF-8 2>/dev/null || true
  if [ "$(stat -c %s "$2")" -gt "$1" ]; then printf '\n\nThe rest was left out.\n'; fi
}
