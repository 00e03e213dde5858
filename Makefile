# The commands a person needs; each does all of its own set-up. SETUP=no skips the package step.
SETUP ?= yes
JOBS ?= $(shell nproc)
TALLY = build/release/tally

.PHONY: help setup build bench test lint clean
help:
	@echo "make bench   set up, build, and run the PyTorch benchmark suite"
	@echo "make test    set up, build with checks, and run every test"
	@echo "make build   set up and build the release: $(TALLY)"
	@echo "make lint    formatting, layers, headers, JavaScript, Python and clang-tidy on what changed (TIDY=all for every file)"
	@echo "make sanitize  unit tests under address, undefined-behaviour and thread sanitizers"
	@echo "make clean   remove build/"

setup:
ifneq ($(SETUP),no)
	@tools/setup.sh
endif

build: setup
	@cmake --preset release >build-release.log 2>&1 || { cat build-release.log; exit 1; }; rm -f build-release.log
	@cmake --build --preset release -j $(JOBS)

bench: build
	$(TALLY) run suites/torch_quick.toml --json build/bench.json

# Everything a change must pass. ctest's closing lines come last.
test: build dev lint
	@ctest --test-dir build/dev --output-on-failure -j $(JOBS)

.PHONY: dev sanitize
dev: setup
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev -j $(JOBS)

lint: dev
	@JOBS=$(JOBS) tools/lint.sh build/dev

# The pure layers under address and undefined-behaviour sanitizers, and what has threads under the thread sanitizer.
SANITIZED = base_test definition_test expansion_test plan_test measurement_test profile_test protocol_test record_test \
  comparison_test report_test trace_test build_test
sanitize: setup
	@cmake --preset asan-ubsan >/dev/null
	@cmake --build --preset asan-ubsan -j $(JOBS) --target $(SANITIZED)
	@set -e; for one in $(SANITIZED); do build/asan-ubsan/tests/$$one --gtest_brief=1; done
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan -j $(JOBS) --target trace_test
	@build/tsan/tests/trace_test --gtest_brief=1

clean:
	rm -rf build
