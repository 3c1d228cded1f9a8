# The front door: each target brings what it needs (system packages, the pinned Halide) and is quick when repeated.
# CMake does the work and can be used by itself: see CMakePresets.json.

JOBS ?= $(shell nproc)
export CTEST_PARALLEL_LEVEL ?= 2

.DEFAULT_GOAL := help
.PHONY: help build demo test clean

help:
	@echo "make build   set up this machine and build everything (programs in build/)"
	@echo "make demo    the main job on this CPU: generate, tune, report, check real weights"
	@echo "make test    build everything and run every test"
	@echo "make clean   remove the build folders (fetched wheels and the compile cache stay)"
	@echo
	@echo "JOBS=N sets the number of parallel compile jobs (now $(JOBS))."

build:
	cmake/setup.sh full
	cmake --preset default
	cmake --build --preset default --parallel $(JOBS)

# A build folder that `make build` made is used as it is: it holds the programs too.
demo:
	cmake/setup.sh demo
	test -f build/build.ninja || cmake --preset demo
	cmake --build --preset demo --parallel $(JOBS)
	examples/demo.sh

test: build
	ctest --preset default

clean:
	rm -rf build build-*
