# The commands of the project. CMake and Ninja do the building; this file only names what people type.
#   make            build build/kairos             make run      build the program only, run the first example
#   make test       install, build, run all tests  make bench    time the program against hand-written ones
#   make format     lay out all sources            make check-format, make check-layers (#includes, and links if there is a build)
#   make house      draw docs/house.svg and the tables of docs/architecture.md
#   make gallery    every example as figures, in docs/gallery/index.html
#   make docs       all documents and the gallery as a web site, in docs/site/index.html
#   make sanitize   tests under ASan and UBSan     make clang    tests of a clang build with -Werror
#   make hostile    all models in a build that moves memory, mixes islands and restores snapshots (tools/hostile)
#   make threads    what uses threads, under the thread sanitizer
#   make coverage   lines that unit tests and models reach, room by room; fails below 95 % (tools/coverage)
#   make fuzz       SECONDS=60 for each target of tests/fuzz (clang)
#   make soak       SECONDS=3600: studio, language server and library for an hour, their memory watched
#   make page       the page of the studio, anew (npm)  make test-browser  the page in Chromium  make test-editors  in Neovim
#   make playground  gallery and tutorials as pages that run in a browser without a server, in docs/playground (emscripten)
#   make python     the Python module, in build/python; python3 -m pip install ./python installs it
#   make deb        a Debian package of the program, library, models and documents (tools/make-deb)
#   make install    PREFIX=/usr/local              make clean
BUILD ?= build
WERROR ?= OFF
PREFIX ?= /usr/local
CMAKE_OPTIONS ?=
SECONDS ?= 60
BENCH_RULER ?= ../shared/bench

.PHONY: all configured build deps run-deps run test python test-python bench bench-fmi gallery docs format check-format check-layers house sanitize clang hostile threads coverage fuzz fuzz-sample soak \
    page playground test-browser test-editors install deb clean
.NOTPARALLEL:

all: build

configured:
	@command -v cmake >/dev/null && command -v ninja >/dev/null || { echo "cmake or ninja is missing: run tools/install-deps"; exit 1; }
	@[ -f $(BUILD)/build.ninja ] || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DKAIROS_WERROR=$(WERROR) $(CMAKE_OPTIONS)

build: configured
	@cmake --build $(BUILD)

# What came with the tools of the tests is looked for again.
deps:
	@tools/install-deps
	@! grep -qs 'CMOCKA_LIBRARY.*NOTFOUND' $(BUILD)/CMakeCache.txt || cmake $(BUILD) >/dev/null

run-deps:
	@tools/install-deps run

run: run-deps configured
	@cmake --build $(BUILD) --target program
	$(BUILD)/kairos run examples/ball/model.kai -o ball.csv

test: deps build
	@tools/run-tests $(BUILD)

python: build
	@[ -e $(BUILD)/python/kairos/_kairos.abi3.so ] || { echo "the Python module is missing: apt install python3-dev python3-numpy, then make clean python"; exit 1; }
	@echo "PYTHONPATH=$(BUILD)/python, or: python3 -m pip install ./python"

test-python: deps python
	@tools/test-python $(BUILD)

bench: deps build
	@BENCH_RULER=$(BENCH_RULER) bench/run.sh $(BUILD)
	@bench/start.sh $(BUILD)
	@bench/study.sh $(BUILD)

bench-fmi: deps build
	@cmake --build $(BUILD) --target fmi_cost
	@bench/fmi.sh $(BUILD)

gallery: deps build
	@tools/gallery $(BUILD)/kairos docs/gallery

docs: deps build
	@command -v python3 >/dev/null || { echo "python3 is missing: apt-get install python3"; exit 1; }
	@tools/make-docs $(BUILD)/kairos docs/site

format:
	@tools/format

check-format:
	@tools/format --check

check-layers:
	@tools/check-layers . $(BUILD)
	@tools/check-size

house:
	@tools/house

sanitize:
	@$(MAKE) --no-print-directory test BUILD=build-asan WERROR=ON CMAKE_OPTIONS=-DKAIROS_SANITIZE=ON

clang:
	@$(MAKE) --no-print-directory test BUILD=build-clang WERROR=ON CMAKE_OPTIONS=-DCMAKE_C_COMPILER=clang

hostile:
	@$(MAKE) --no-print-directory build BUILD=build-hostile WERROR=ON CMAKE_OPTIONS=-DKAIROS_HOSTILE=ON
	@tools/hostile build-hostile

threads: deps
	@$(MAKE) --no-print-directory build BUILD=build-tsan CMAKE_OPTIONS=-DKAIROS_THREADS=ON
	@build-tsan/tests/test_threads
	@build-tsan/tests/test_study
	@for script in sweep interrupt interrupt_sweep test_command study studio; do WORK=$$(mktemp -d); \
	    KAIROS=$$PWD/build-tsan/kairos BUILD=$$PWD/build-tsan WORK=$$WORK bash tests/cli/$$script.sh || exit 1; rm -rf $$WORK; done

coverage: deps
	@tools/coverage

fuzz: deps
	@tools/fuzz $(SECONDS)

# In the build of `make sanitize`, which must have been made.
fuzz-sample:
	@tools/fuzz-sample build-asan

soak: build
	@BUILD=$(BUILD) tools/soak $(SECONDS)

page:
	@cd studio && npm ci --ignore-scripts && npm run check && npm run build

playground: build
	@tools/make-playground $(BUILD) docs/playground

test-browser: build
	@tools/test-browser $(BUILD)

test-editors: build
	@tools/test-editors $(BUILD)

deb: build
	@tools/make-deb $(BUILD)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build build-gcc build-asan build-clang build-hostile build-mutants build-cov build-fuzz build-tsan build-o0
