# The commands a person needs; each does all of its own set-up. SETUP=no skips the package step.
SETUP ?= yes
JOBS ?= $(shell nproc)
TALLY = build/release/tally

.PHONY: help setup build bench test lint clean
help:
	@echo "make bench   set up, build, and run the PyTorch benchmark suite"
	@echo "make test    set up, build with checks, and run every test"
	@echo "make build   set up and build the release: $(TALLY)"
	@echo "make lint    formatting, layers and clang-tidy"
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

test: build
	@cmake --preset dev
	@cmake --build --preset dev -j $(JOBS)
	@ctest --test-dir build/dev --output-on-failure -j $(JOBS)

clean:
	rm -rf build
