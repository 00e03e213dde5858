#!/bin/bash
# Installs tally into a virtual environment of its own, puts it into the PATH, and names the cache.
#
# In: INPUT_INSTALL, INPUT_PYTHON, INPUT_RUN.
# Out: folder (everything of the action lies in it), cache (what to keep), cache-key and cache-digest (under which name).
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"

# Such a job has a token that writes, and secrets, while it runs the code of strangers.
case $GITHUB_EVENT_NAME in
  pull_request_target | workflow_run)
    fail 2 "not run at the event $GITHUB_EVENT_NAME: it would measure code of strangers beside secrets; use pull_request (docs/guides/ci.md)"
    ;;
esac
if [ "$(uname -s -m)" != "Linux x86_64" ]; then fail 2 "tally runs on Linux on x86-64, and this is $(uname -s -m)"; fi

# The same name in each job, for it becomes a part of what compilers are called with; another one for a second use.
folder=$RUNNER_TEMP/tally
for ((number = 2; ; number++)); do
  if mkdir "$folder" 2>/dev/null; then break; fi
  if [ ! -e "$folder" ]; then fail 1 "cannot create $folder"; fi
  folder=$RUNNER_TEMP/tally-$number
done

# -I: modules of the repository do not take the place of Python's own.
"$INPUT_PYTHON" -I -m venv "$folder/venv" || fail 1 "$INPUT_PYTHON cannot make a virtual environment"
"$folder/venv/bin/python" -I -m pip install --disable-pip-version-check --quiet -- "$INPUT_INSTALL" ||
  fail 1 "pip cannot install $INPUT_INSTALL"
mkdir "$folder/bin"
ln -s "$folder/venv/bin/tally" "$folder/bin/tally"
version=$("$folder/bin/tally" --version) || fail 1 "$INPUT_INSTALL has no tally that starts here"
echo "$version"
echo "$folder/bin" >>"$GITHUB_PATH"

# pip gives files the time of the installation. What was compiled with a header of another time is compiled again, so
# headers get a time that stays.
find "$folder/venv" -name '*.h' -exec touch -d @0 {} +

# What was compiled is of use to the same tally where compiler and headers are those of the same image. tally compares
# both itself, so a name that promises too much costs time and changes no count.
name=$version-${ImageOS:-$(sed -n 's/^ID=//p' /etc/os-release)}-${ImageVersion:-$(uname -r)}
split_words "$INPUT_RUN"
find_suites
digest=$({ printf '%s' "$INPUT_RUN"; cat /dev/null "${suites[@]}"; } | sha256sum | head -c 16)
output folder "$folder"
output cache "${XDG_CACHE_HOME:-$HOME/.cache}/tallymark"
output cache-key "$(printf '%s' "$name" | tr -c 'A-Za-z0-9.' -)"
output cache-digest "$digest"
