#!/bin/sh
# Runs the tests of the Python package, in an environment of their own: build/python, which has Debian's packages too.
#
#   tools/python_tests.sh [PYTEST ARGUMENT…]          all tests, or what the arguments choose: -m "not end_to_end", -k wheel
#   tools/python_tests.sh --torch-venv [ARGUMENT…]    with the interpreter, and the PyTorch, of `make torch-venv`
#   tools/python_tests.sh --environment               only makes what the tests need
#
# Exit code 77 where that cannot be fetched. Measures with $TALLY, or build/release/tally.
set -u
cd "$(dirname "$0")/.."
environment=build/python
beside=build/python-beside # for another interpreter: put on its PYTHONPATH
coroutines=build/python-coroutines
wanted() { cat python/requirements-pure.txt python/requirements-test.txt python/requirements-coroutines.txt; }
fetch() {
  rm -rf "$environment" "$beside" "$coroutines"
  mkdir -p build
  # Debian's interpreter has PyTorch and NumPy.
  /usr/bin/python3 -m venv --system-site-packages "$environment" &&
    "$environment/bin/pip" install --disable-pip-version-check --quiet -r python/requirements-test.txt &&
    "$environment/bin/pip" install --disable-pip-version-check --quiet --target "$beside" -r python/requirements-pure.txt &&
    "$environment/bin/pip" install --disable-pip-version-check --quiet --target "$coroutines" --no-deps \
      -r python/requirements-coroutines.txt &&
    wanted >"$environment/wanted.txt"
}
if ! wanted | cmp -s - "$environment/wanted.txt" && ! fetch; then
  echo "python_tests: what python/requirements-test.txt names cannot be fetched: is there a network?" >&2
  exit 77
fi
if [ "${1:-}" = --environment ]; then exit 0; fi

python=$PWD/$environment/bin/python
if [ "${1:-}" = --torch-venv ]; then
  shift
  python=$PWD/build/torch-venv/bin/python
  if [ ! -e "$python" ]; then
    echo "python_tests: build/torch-venv is not there (make torch-venv)" >&2
    exit 77
  fi
  PYTHONPATH=$PWD/$beside
  export PYTHONPATH
fi
TALLY=${TALLY:-$PWD/build/release/tally}
export TALLY
cd python && exec "$python" -m pytest -q -rs "$@"
