# The commands a person needs; each does all of its own set-up. SETUP=no skips the package step.
SETUP ?= yes
JOBS ?= $(shell nproc)
TALLY = build/release/tally

.PHONY: help setup setup-test setup-wheel setup-deb build wheel deb source bench tests test tested torch-venv check lint dev sanitize coverage nightly clean
help:
	@echo "make bench   set up, build, and run the PyTorch benchmark suite"
	@echo "make test    set up, build, lint, and run every test"
	@echo "make check   what takes seconds: formatting, layers, unit tests"
	@echo "make build   set up and build the release: $(TALLY)"
	@echo "make wheel   the Python package with the release inside: one file in build/wheel, for any Python from 3.9 on"
	@echo "make deb     the Debian packages of the release: two files in build/deb, for Debian 12 and 13"
	@echo "make source  the source archive of what is committed: one file in build/source"
	@echo "make setup   install the packages that building and running need; make setup-test: those of make test too"
	@echo "make torch-venv   a virtual environment with PyTorch 2.13 for make test: build/torch-venv (1 GB; gigabytes where PyPI's has CUDA)"
	@echo "make lint    formatting, layers, headers, JavaScript, Python and clang-tidy on what changed (TIDY=all for every file)"
	@echo "make dev     set up and build with assertions and little optimisation: build/dev"
	@echo "make sanitize  unit tests under address, undefined-behaviour and thread sanitizers"
	@echo "make coverage  how many lines the unit tests reach by themselves: build/coverage/report.txt"
	@echo "make nightly   what takes too long for every change: sanitizers, fuzzers, clang-tidy on all files, the tests on a busy machine, packages"
	@echo "make clean   remove build/"

setup:
ifneq ($(SETUP),no)
	@tools/setup.sh
endif

setup-test:
ifneq ($(SETUP),no)
	@tools/setup.sh packages.txt packages-test.txt packages-deb.txt
endif

setup-wheel:
ifneq ($(SETUP),no)
	@tools/setup.sh packages.txt packages-wheel.txt
endif

setup-deb:
ifneq ($(SETUP),no)
	@tools/setup.sh packages.txt packages-deb.txt
endif

# One tree: the tests are built beside what users run, from the same objects.
CONFIGURE = mkdir -p build && { cmake --preset release $(1) >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }; }

build: setup
	@$(call CONFIGURE,-DBUILD_TESTING=OFF)
	@cmake --build --preset release -j $(JOBS)

BUILD_TESTS = $(call CONFIGURE,-DBUILD_TESTING=ON) && cmake --build --preset release -j $(JOBS)

tests: setup-test
	@$(BUILD_TESTS)

wheel: setup-wheel build
	@tools/wheel/make_wheel.sh build/release build/wheel

deb: setup-deb build
	@tools/make_deb.sh build/release build/deb

source:
	@tools/make_source.sh build/source

bench: build
	@rm -f build/bench.json
	$(TALLY) run suites/torch_quick.toml --json build/bench.json --expect suites/reference || { [ $$? -eq 2 ] && [ -s build/bench.json ]; }

# Everything a change must pass, what fails in seconds first. ctest's closing lines come last.
LINT = JOBS=$(JOBS) tools/lint.sh
CTEST = ctest --test-dir build/release --output-on-failure -j $(JOBS)
LONG = 'end_to_end|minutes'
test: setup-test
	@$(LINT) --quick
	@$(BUILD_TESTS)
	@$(MAKE) --no-print-directory tested

# What follows the build. GROUP=1 to 8: of the longest tests one group of eight (tests/groups.txt).
GROUP ?= all
tested:
	@left_out=$$(tools/left_out.sh build/release $(GROUP)) && $(CTEST) -LE $(LONG) $$left_out && \
	  $(LINT) --slow build/release && $(CTEST) -L $(LONG) $$left_out

# For the tests of another PyTorch than Debian's; they are skipped without. Left alone while it holds what is pinned.
TORCH_VENV = build/torch-venv
torch-venv: setup-test
	@cmp -s tools/torch-venv.txt $(TORCH_VENV)/pinned.txt || { rm -rf $(TORCH_VENV) && mkdir -p build && python3 -m venv $(TORCH_VENV) && \
	  $(TORCH_VENV)/bin/pip install --disable-pip-version-check --quiet -r tools/torch-venv.txt && \
	  cp tools/torch-venv.txt $(TORCH_VENV)/pinned.txt; }

# What takes seconds once it is built.
check: tests
	@$(LINT) --quick build/release
	@$(CTEST) -LE $(LONG)

lint: setup-test
	@test -e build/release/compile_commands.json || { $(call CONFIGURE,-DBUILD_TESTING=ON); }
	@$(LINT) build/release

dev: setup-test
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev -j $(JOBS)

# Every layer's unit tests under address and undefined-behaviour sanitizers, and what has threads under the thread
# sanitizer.
SANITIZED = alone_test base_test build_test cli_test commits_test comparison_test cpu_test definition_test discovery_test engine_loop_test \
  engine_test exchange_test expansion_test fake_host_test fake_runner_test git_test history_test hosts_test json_test \
  measurement_test plan_test process_test profile_test protocol_test record_test report_history_test report_html_test \
  report_json_test report_text_test run_plan_test serve_test session_test slurm_test symbols_test team_test \
  trace_test
WITH_THREADS = alone_test base_test history_test host_waiting_test team_test trace_test
sanitize: setup-test
	@cmake --preset asan-ubsan >/dev/null
	@cmake --build --preset asan-ubsan -j $(JOBS) --target $(SANITIZED)
	@set -e; for one in $(SANITIZED); do build/asan-ubsan/tests/$$one --gtest_brief=1; done
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan -j $(JOBS) --target $(WITH_THREADS)
	@set -e; for one in $(WITH_THREADS); do build/tsan/tests/$$one --gtest_brief=1; done

# How many lines of src/ these unit tests reach by themselves. What only an end-to-end test reaches is not in it.
COVERAGE = build/coverage
coverage: setup-test
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage -j $(JOBS) --target $(SANITIZED)
	@rm -f $(COVERAGE)/*.profraw
	@set -e; for one in $(SANITIZED); do \
	  LLVM_PROFILE_FILE=$(COVERAGE)/$$one-%p.profraw $(COVERAGE)/tests/$$one --gtest_brief=1; done
	@llvm-profdata-19 merge -sparse $(COVERAGE)/*.profraw -o $(COVERAGE)/units.profdata
	@rm -f $(COVERAGE)/*.profraw
	@llvm-cov-19 report -instr-profile=$(COVERAGE)/units.profdata -ignore-filename-regex='_test\.(cc|h)$$|/tests/|^/usr/' \
	  $(foreach one,$(SANITIZED),-object $(COVERAGE)/tests/$(one)) >$(COVERAGE)/report.txt
	@awk '$$1 == "TOTAL" { print "report: " $$10 " of " $$8 " lines" }' $(COVERAGE)/report.txt

# Goes on where an interrupted night was; tools/nightly.sh PART runs one part.
nightly: setup-test setup-deb
	@JOBS=$(JOBS) tools/nightly.sh

clean:
	rm -rf build
