# demo: measure a real Redis and print a verdict.   test: the gate, everything a change must pass.
# prove: the long acceptance runs; prove-list says what each group of them proves, how long it takes and what it needs.
# Each target installs what it needs when run as root, Rust included; else it says what to install.

SHELL := /bin/bash
PERFLAB := target/release/perflab
OUT ?= results
PREFIX ?= /usr/local
BUILT ?= target/release
export PATH := $(HOME)/.cargo/bin:$(PATH)

# Two targets that install packages at once would fail: apt-get does not wait for its lock.
.NOTPARALLEL:

.PHONY: all demo test prove prove-list prove-table prove-touched bench build install kv install-kv rust tools tools-kv

all: build

rust:
	@scripts/need cc:gcc /usr/include/stdio.h:libc6-dev
	@scripts/rust

build: rust
	cargo build --release --locked

# The binary to PREFIX/bin, the agent to PREFIX/lib/perflab, the headers for C to PREFIX/include. The static library
# goes without the bitcode of Rust's own library, which a compiler with an older LLVM cannot read.
# BUILT: a directory with other files than those of a release. Under sudo, what the user has built is installed.
install: $(if $(filter target/release,$(BUILT)),$(if $(and $(SUDO_USER),$(wildcard $(PERFLAB))),,build))
	install -D -m 755 $(BUILT)/perflab $(DESTDIR)$(PREFIX)/bin/perflab
	install -D -m 755 $(BUILT)/libperflab_preload.so $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_preload.so
	install -D -m 644 $(BUILT)/libperflab_static.a $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_agent.a
	objcopy --strip-debug -R .llvmbc -R .llvmcmd $(DESTDIR)$(PREFIX)/lib/perflab/libperflab_agent.a
	install -D -m 644 crates/trace/probe/include/perflab/probe.h $(DESTDIR)$(PREFIX)/include/perflab/probe.h
	install -D -m 644 crates/trace/agent-static/include/perflab/agent.h $(DESTDIR)$(PREFIX)/include/perflab/agent.h
	install -D -m 644 crates/trace/filter/include/perflab/filter.h $(DESTDIR)$(PREFIX)/include/perflab/filter.h

# The server to look into, which has a binary of its own. It needs no liburcu to be built, and loads what is installed.
kv: rust
	cargo build --release --locked -p perflab-kv

install-kv: $(if $(filter target/release,$(BUILT)),$(if $(and $(SUDO_USER),$(wildcard $(PERFLAB)-kv)),,kv))
	install -D -m 755 $(BUILT)/perflab-kv $(DESTDIR)$(PREFIX)/bin/perflab-kv

tools:
	@scripts/need cc:gcc gcc:gcc g++:g++ clang:clang clang++:clang ld.bfd:binutils ld.gold:binutils ld.lld:lld \
		readelf:binutils objcopy:binutils objdump:binutils llvm-objdump:llvm \
		/usr/lib/x86_64-linux-gnu/libbpf.so.1:libbpf1 make:make git:git script:bsdutils setpriv:util-linux mount:mount \
		/usr/sbin/mkswap:util-linux /usr/sbin/swapon:mount \
		redis-server:redis-server redis-benchmark:redis-tools ministat:ministat hyperfine:hyperfine \
		python3:python3 /usr/lib/python3/dist-packages/prometheus_client:python3-prometheus-client fio:fio \
		fs_mark:fsmark iperf3:iperf3 pgbench:postgresql '/usr/lib/postgresql/*/bin/postgres:postgresql' \
		sysbench:sysbench gdb:gdb jq:jq tcpbench:tcpbench perf:linux-perf /usr/bin/time:time wrk:wrk bpftrace:bpftrace \
		strace:strace

# Only the wing `server` looks into liburcu and memcached. Its tests say what they could not check where one is missing.
tools-kv:
	@scripts/need '/usr/include/*/urcu/urcu-memb.h:liburcu-dev' memcached:memcached

demo: build
	@scripts/need redis-server:redis-server redis-benchmark:redis-tools
	scripts/demo $(OUT)

# Checks the format, the lints and the documentation, then runs every test. All tests share one build profile. Examples
# are documented too: with them the dependencies have the features with which the lints have built them. The fuzzers are a
# workspace of their own, whose lock file nothing else would find behind.
test: tools
	@scripts/rust rustfmt clippy
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps --lib --bins --examples
	cargo metadata --quiet --locked --manifest-path fuzz/Cargo.toml --format-version 1 >/dev/null
	scripts/prove check
	scripts/test

# make prove runs all proofs, make prove-NAME one group or step, make prove-touched those whose paths changed since BASE.
prove:
	scripts/prove run

prove-list prove-table: prove-%:
	@scripts/prove $*

prove-touched:
	scripts/prove touched $(BASE)

prove-%:
	@scripts/prove run $*

bench: prove-bench
