# demo: measure a real Redis and print a verdict.   test: everything a change must pass.
# prove: the long acceptance runs, one target each.
# Each target installs what it needs with apt when run as root, else it says what to install.

SHELL := /bin/bash
CARGO ?= cargo
PERFLAB := target/release/perflab
OUT ?= results
PREFIX ?= /usr/local

.PHONY: all demo test prove prove-ministat prove-rates prove-real prove-decided prove-kill prove-doctor prove-experiments prove-toggle prove-record prove-pages prove-fuzz bench build install tools

all: build

build:
	$(CARGO) build --release --locked

# The binary to PREFIX/bin, the agent to PREFIX/lib/perflab, the headers for C to PREFIX/include. The static library
# goes without the bitcode of Rust's own library, which a compiler with an older LLVM cannot read.
install: build
	install -D -m 755 $(PERFLAB) $(DESTDIR)$(PREFIX)/bin/perflab
	install -D -m 755 target/release/libperflab_preload.so $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_preload.so
	install -D -m 644 target/release/libperflab_static.a $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_agent.a
	objcopy --strip-debug -R .llvmbc -R .llvmcmd $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_agent.a
	install -D -m 644 crates/probe/include/perflab/probe.h $(DESTDIR)$(PREFIX)/include/perflab/probe.h
	install -D -m 644 crates/static/include/perflab/agent.h $(DESTDIR)$(PREFIX)/include/perflab/agent.h

tools:
	@scripts/need cc:gcc gcc:gcc g++:g++ clang:clang clang++:clang ld.bfd:binutils ld.gold:binutils ld.lld:lld \
		readelf:binutils objcopy:binutils make:make git:git script:bsdutils setpriv:util-linux mount:mount \
		/usr/sbin/mkswap:util-linux /usr/sbin/swapon:mount \
		redis-server:redis-server redis-benchmark:redis-tools ministat:ministat hyperfine:hyperfine \
		python3:python3 /usr/lib/python3/dist-packages/prometheus_client:python3-prometheus-client fio:fio \
		fs_mark:fsmark iperf3:iperf3 pgbench:postgresql '/usr/lib/postgresql/*/bin/postgres:postgresql' \
		sysbench:sysbench gdb:gdb tcpbench:tcpbench perf:linux-perf /usr/bin/time:time wrk:wrk bpftrace:bpftrace

demo: tools build
	scripts/demo $(OUT)

test: tools
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --quiet
	$(CARGO) build --locked --release
	$(MAKE) --no-print-directory install DESTDIR=target/installed PREFIX=/usr
	target/installed/usr/bin/perflab --version
	$(CARGO) test --locked --workspace --quiet
	PERFLAB_QUICK=1 $(MAKE) --no-print-directory prove

prove: prove-ministat prove-rates prove-real prove-decided prove-kill prove-doctor prove-experiments prove-toggle prove-record prove-pages prove-fuzz bench

# perflab ministat against the ministat that is installed, on random inputs.
prove-ministat: tools
	scripts/prove-ministat

# How often verdicts are false, and how often true differences are found, by simulation.
prove-rates:
	scripts/prove-rates

# The same with real processes: a command against itself, and against one 2 % slower.
prove-real: tools build
	scripts/prove-real

# The same, each comparison measured until it is decided; and how many runs that saves.
prove-decided: tools build
	scripts/prove-decided

# The laboratory killed at random moments of an experiment, and resumed.
prove-kill: tools build
	scripts/prove-kill

# Trouble made on this machine that the doctor must find, and settings that must come back.
prove-doctor: tools build
	scripts/prove-doctor

# The experiments that come with perflab, as they are.
prove-experiments: tools build
	scripts/prove-experiments

# A thousand probe sites switched while threads, signals, children and objects come and go.
prove-toggle: tools
	scripts/prove-toggle

# Programs that are recorded while threads, signals, children and other recorders come and go, or are killed.
prove-record: tools
	scripts/prove-record

# The pages for a browser, in one: clicked through, hovered over, read by axe, watched during an experiment.
prove-pages: tools build
	scripts/prove-pages

# Every parser fed with mutated and random input.
prove-fuzz:
	scripts/prove-fuzz

# Costs beside the tools people use today, side by side in one run. PERFLAB_QUICK=1 only sees that each of them runs.
bench: tools build
	bench/run
	bench/probes/run
	bench/switching/run
	bench/events/run
	bench/recording/run
