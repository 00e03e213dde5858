# Sourced by the tests: a folder of the test's own, and none of the results where Valgrind may have counted.
set -eu
if command -v valgrind; then
  echo "skipped: Valgrind is installed, and the test is of counting without"
  exit 77
fi
cd "$AUTOPKGTEST_TMP"
export XDG_CACHE_HOME="$AUTOPKGTEST_TMP/cache" XDG_RUNTIME_DIR="$AUTOPKGTEST_TMP"
