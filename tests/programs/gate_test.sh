#!/bin/sh
# The example's gate for CI, in a git repository of its own: a commit as good as its base passes, a slower one does not.
# Where libbenchmark is installed, the example is built with it too.
#
#   gate_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none"
rm -rf "$work"
mkdir -p "$work"
passes cmake --install "$build" --prefix "$work/prefix"
export TALLYMARK="$work/prefix"
cp -r "$source/examples/program" "$work/words"
cd "$work/words"
commit() {
  git add -A
  git -c user.name=test -c user.email=test@localhost commit -qm "$1"
}
git init -q .
echo build/ >.gitignore
commit base
echo '// A remark.' >>src/words.cc
passes ./gate.sh HEAD
says "100% tests passed, 0 tests failed out of 3"
sed -i 's/if (!blank \&\& !inside) ++found;/& for (volatile int i = 0; i < 3; i = i + 1) {}/' src/words.cc
fails ./gate.sh HEAD
says "regression: words_bench/count [cpp words=1000]: instructions +"

if [ -e /usr/include/benchmark/benchmark.h ]; then
  passes cmake -S . -B "$work/google" -DCMAKE_PREFIX_PATH="$work/prefix" -DWORDS_GOOGLE=libbenchmark
  passes cmake --build "$work/google" --target words_google
  passes "$work/google/words_google" --benchmark_list_tests
  says "count/1000"
fi
