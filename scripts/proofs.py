"""The table of proofs: what each group proves, and which paths call for it when they change."""
import fnmatch
from dataclasses import dataclass


@dataclass
class Step:
    """A command, and the lines of its output that are its figures."""

    command: str
    figures: str


@dataclass
class Group:
    """Steps that prove one thing."""

    name: str
    proves: str
    minutes: int
    needs: str
    steps: dict
    paths: list

    def is_touched(self, changed):
        return any(fnmatch.fnmatch(path, pattern) for path in changed for pattern in self.paths)


def crates(names):
    """The sources and the tests of crates."""
    return [f"crates/{name}/*" for name in names.split()]


def cli(names):
    """Parts of the command line."""
    return [f"crates/cli/src/{name}*" for name in names.split()]


# Compilation decides how fast and how small everything is.
BUILD = ["Cargo.toml", "Cargo.lock"]

GROUPS = [
    Group("ministat", "`perflab ministat` prints what Debian's ministat prints, byte for byte, on 10 000 random inputs",
          1, "ministat", {"ministat": Step("scripts/prove-ministat", r"cases|reports")},
          [*crates("judge/ministat"), "scripts/prove-ministat"]),
    Group("statistics", "false verdicts stay within the promised rate in every simulated noise, and true differences are found",
          45, "nothing else", {"rates": Step("scripts/prove-rates", r"^every promise|PROMISE")},
          [*crates("judge/stats lab/compare"), "scripts/prove-rates"]),
    Group("bisection", "the revision that introduced a change is found in every simulated noise, after about as few runs as if "
          "the noise were known", 10, "nothing else", {"bisection": Step("scripts/prove-bisection", r"^step|^no change|^64|^test|^plain|^every promise|PROMISE")},
          ["crates/judge/stats/src/bisection*", "crates/judge/stats/examples/bisection/*", "crates/judge/stats/examples/simulated/*",
           "scripts/prove-bisection"]),
    Group("changes", "of histories without a change at most 5 % have one found in every simulated noise, also 20 series "
          "together, also where values share the noise of a control, also measured by the command; steps of two standard "
          "deviations are found, intervals hold their places, and sizes of confirmations are right on average", 15, "git",
          {"changes": Step("scripts/prove-changes", r"^every promise|PROMISE"),
           "neighbours": Step("scripts/prove-neighbours", r"^seed")},
          ["crates/judge/stats/src/changes/*", "crates/judge/stats/src/rank.rs", "crates/judge/stats/src/resampling.rs",
           "crates/judge/stats/src/multiplicity.rs", "crates/judge/stats/examples/changes/*",
           "crates/judge/stats/examples/simulated/*", "crates/judge/stats/examples/extremes/*", "scripts/prove-changes",
           "scripts/prove-neighbours", "scripts/changes-real", "crates/lab/history/src/detection.rs",
           "crates/lab/history/src/series.rs"]),
    Group("real", "the same with real processes: a command against itself and against one 2 % slower, in a fixed number "
          "of runs, in turns, and until decided; behind a shell; and with uneven samples, scatter and slow runs", 60, "a C compiler; a quiet machine",
          {"fixed": Step("scripts/prove-real", r"^whole runs: of"),
           "turns": Step("scripts/prove-real slices", r"^(whole runs|in turns): of"),
           "decided": Step("scripts/prove-decided", r"^(equal|2 % more): +of|^runs: "),
           "shell": Step("scripts/prove-shell", r"^shell: "),
           "uneven": Step("scripts/prove-uneven", r"experiments with a false verdict")},
          [*crates("judge/stats lab/runner lab/compare lab/experiment"), *cli("bench until compare selection percent cpus"), "scripts/prove-real",
           "scripts/prove-decided", "scripts/prove-shell", "scripts/prove-uneven"]),
    Group("redis", "in slices at most 5 % of the comparisons of a Redis with itself call it different, and one that needs 1 % "
          "longer for each request is found", 35, "redis-server, redis-benchmark; a C compiler; a quiet machine",
          {"redis": Step("scripts/prove-redis", r"^with itself|^1 % longer")},
          [*crates("judge/stats lab/runner lab/compare lab/drivers"), "scripts/prove-redis", "crates/cli/examples/take_turns.rs",
           "bench/planted/delay.c"]),
    Group("kill", "a laboratory that is killed 50 times loses no run, repeats none and leaves no process behind",
          2, "redis-server, redis-benchmark", {"kill": Step("scripts/prove-kill", r"^\d+ kills:"),
                                              "kill-slices": Step("scripts/prove-kill slices", r"^\d+ kills:")},
          [*crates("lab/runner lab/store lab/experiment lab/drivers lab/machine"), *cli("run main standby progress failure results"),
           "scripts/prove-kill"]),
    Group("histories", "history run, history watch and bisect, killed 50 times each, measure each revision once and find the "
          "change; they lose nothing, leave nothing behind and leave the repository alone", 4, "git",
          {"histories": Step("scripts/prove-histories", r"^\d+ kills of")},
          [*crates("lab/history lab/runner lab/store lab/experiment lab/machine"), *cli("history run main standby progress failure text_file"),
           "scripts/prove-histories"]),
    Group("planted", "`bisect` finds which of 64 revisions of a C program is 3 % slower, where each build moves the code",
          55, "git; a C compiler", {"planted": Step("scripts/prove-planted", r"slowdowns of")},
          [*crates("lab/history"), *cli("history"), "crates/judge/stats/src/bisection*", "scripts/prove-planted"]),
    Group("doctor", "the doctor finds trouble that is made on this machine, and changed settings come back after kill -9",
          8, "root", {"doctor": Step("scripts/prove-doctor", r"kills|violations")},
          [*crates("lab/machine lab/runner"), *cli("doctor settings standby tune"), "scripts/prove-doctor", "scripts/not-checked"]),
    Group("experiments", "the shipped experiments run as they are", 85, "root; the load tools; the source of Debian's Redis",
          {"experiments": Step("scripts/prove-experiments", r"^== |runs in|^prove-experiments")},
          ["experiments/*", *crates("lab/experiment lab/drivers lab/runner lab/store lab/machine lab/compare look/report judge/stats look/plot lab/formats"),
           *cli("run compare init numbers plan steady import export output show drawn terminal settings renamed"), "scripts/prove-experiments",
           "scripts/not-checked", "scripts/demo"]),
    Group("instrument", "the commands of docs/instrument.md, by which Redis gets probes, do what the page shows; of nginx "
          "and memcached with probes every request is recorded or counted, and every site goes off again", 8,
          "root; the sources of Debian's Redis, nginx and memcached; ab, libevent-dev",
          {"instrument": Step("scripts/prove-instrument", r"^prove-instrument"),
           "servers": Step("scripts/prove-servers", r"^(nginx|memcached), |^prove-servers")},
          [*crates("trace/probe trace/abi trace/agent trace/agent-preload trace/control trace/recorder trace/ring trace/file"), *cli("trace"), "docs/instrument.md",
           "experiments/probes*", "experiments/servers/*", "scripts/prove-instrument", "scripts/prove-servers"]),
    Group("probes", "a thousand sites are switched without a crash while threads, signals, children and objects come and go",
          35, "gcc", {"toggle": Step("scripts/prove-toggle", r"^prove-toggle")},
          [*crates("trace/agent trace/control trace/agent-preload trace/probe trace/abi trace/ring trace/agent-static"), "scripts/prove-toggle"]),
    Group("recording", "programs that are killed, fork or do everything at once, or that recorders visit while they record "
          "on their own, lose no event uncounted; times are those of the clocks", 40, "gcc",
          {"record": Step("scripts/prove-record", r"^prove-record|outside of"),
           "forks": Step("scripts/prove-forks", r"^(forks?|order), |^prove-forks"),
           "visits": Step("scripts/prove-visits", r"^prove-visits")},
          [*crates("trace/agent trace/control trace/agent-preload trace/probe trace/abi trace/recorder trace/ring trace/file"), *cli("trace"), "scripts/prove-record", "scripts/prove-forks", "scripts/prove-visits"]),
    Group("filters", "the programs of filters judge as an evaluator that was written apart, on 10 million random pairs of an "
          "expression and an event; 1000 random expressions judge as those of the installed LTTng do, and where LTTng is "
          "documented to differ it does; filters are replaced 100 000 times under load, with each event judged by exactly one",
          23, "gcc, lttng-tools, liblttng-ust-dev, babeltrace2",
          {"filters": Step("scripts/prove-filters", r"pairs of \d+ expressions"),
           "lttng": Step("scripts/prove-lttng", r"^prove-lttng"),
           "replace": Step("scripts/prove-replace", r"^prove-replace")},
          [*crates("trace/filter trace/bpf trace/abi trace/control trace/agent trace/agent-preload"), *cli("filter"), "scripts/prove-filters", "scripts/prove-lttng", "scripts/prove-replace", "bench/lttng.py"]),
    Group("rcu", "no reader of a flavour of RCU sees freed memory: own domains in interleavings with at most 3 preemptions, each "
          "flavour in 10 minutes of stress and under sanitizers; memory stays bounded and readers that hold it up or die "
          "are reported; readers and writers do as much as those of C", 260,
          "a nightly compiler with rust-src; liburcu-dev; a quiet machine", {
              "rcu-models": Step("scripts/nextest run --profile prove --cargo-profile release --locked --cargo-quiet -p perflab-rcu "
                                 "-E test(/^models::/)", r"tests? run: "),
              "rcu-stress": Step("scripts/prove-rcu-stress", r"^[a-z-]+: \d+ s|^prove-rcu-stress"),
              "rcu-sanitizers": Step("scripts/prove-rcu-sanitizers", r"^(address|thread): |^prove-rcu-sanitizers"),
              "rcu-code": Step("scripts/prove-rcu-code", r"instructions|^prove-rcu-code"),
              "rcu-inline": Step("scripts/prove-rcu-inline", r" %|^prove-rcu-inline")},
          [*crates("server"), *BUILD, "bench/rcu/*", "experiments/rcu-inline.toml", "scripts/prove-rcu-*"]),
    Group("pages", "pages work in a real browser: by mouse, keyboard and touch, without scripts, on a phone, on paper",
          6, "chromium, python3-venv", {"pages": Step("scripts/prove-pages", r"^Ran \d+ tests|^prove-pages")},
          [*crates("look/pages look/plot look/report look/serve lab/compare lab/store"), *cli("report serve"), "scripts/prove-pages"]),
    Group("fuzz", "nothing that reads a file or a text panics, hangs or takes much memory, whatever it reads",
          280, "a nightly compiler, cargo-fuzz", {"fuzz": Step("scripts/prove-fuzz", r" (fine|FAILED)$")},
          ["fuzz/*", *crates("lab/drivers lab/experiment lab/formats fuzz-targets lab/machine judge/ministat look/pages look/plot trace/abi trace/recorder "
                             "look/report lab/compare trace/ring lab/runner judge/stats lab/store trace/file trace/control trace/bpf "
                             "trace/filter server/aof server/resp"), "scripts/prove-fuzz"]),
    Group("fresh", "in a root directory with nothing but make, `make demo` and `make test` install what they need and "
          "pass", 45, "root; debootstrap; 8 GB", {"fresh": Step("scripts/prove-fresh", r"^prove-fresh|passed, ")},
          ["Makefile", *BUILD, ".config/*", "crates/testing/*", "scripts/demo", "scripts/need", "scripts/nextest*", "scripts/readme", "scripts/stored.py", "scripts/probes-page", "scripts/filters-page",
           "scripts/rcu-page",
           "scripts/prove", "scripts/proofs.py", "scripts/prove-fresh", "scripts/rust", "scripts/test*"]),
    Group("bench", "tables compare the costs of perflab with those of hyperfine, ministat and LTTng, those of filters with C "
          "by hand, and how sharply whole runs, slices and both at once compare; no limit is checked", 130,
          "root; hyperfine, ministat, lttng-tools, bpftrace, redis, nginx, ab, PostgreSQL",
          {"bench-commands": Step("bench/run", r"^\| "), "bench-probes": Step("bench/probes/run", r"^(\| |- )"),
           "bench-switching": Step("bench/switching/run", r"^\| "), "bench-events": Step("bench/events/run", r"^(\| |- )"),
           "bench-recording": Step("bench/recording/run", r"^\| "), "bench-filters": Step("bench/filters/run", r"^\| "),
           "bench-sharpness": Step("bench/sharpness/run", r"^\| "), "bench-lengths": Step("bench/sharpness/lengths", r"^(\| |- )")},
          ["bench/*", "experiments/*-cost.toml", "experiments/filters.toml", *BUILD, *cli("bench compare main"),
           *crates("trace/agent trace/probe trace/abi trace/agent-preload trace/control trace/ring trace/recorder trace/file trace/bpf trace/filter lab/runner lab/compare judge/ministat judge/stats")]),
]

# What no proof is about: the ordinary tests cover it.
EXEMPT = ["*.md", "*/tests/*"]


def uncovered(files):
    """Files that run, or are measured, and that no group is called for by."""
    def is_code(path):
        return path.startswith(("scripts/", "bench/", "experiments/")) or fnmatch.fnmatch(path, "crates/*/src/*.rs")
    patterns = [pattern for group in GROUPS for pattern in group.paths] + EXEMPT
    return [path for path in files if is_code(path) and not any(fnmatch.fnmatch(path, each) for each in patterns)]
