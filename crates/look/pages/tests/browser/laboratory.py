"""Results of real experiments, their pages in a folder, and servers of them."""

import atexit
import contextlib
import functools
import os
import random
import select
import subprocess
import tempfile
from pathlib import Path

PERFLAB = Path(os.environ["PERFLAB"]).resolve()

# No command may take longer, so that nothing waits for ever.
PATIENCE = 120

SORT = """
name = "sort"
question = "Is sort faster when it compares bytes?"

[design]
runs = {runs}
block = 3
seed = 7
margin = "2%"
metrics = ["wall", "user"]
timeout = "30s"

[variants.utf8]
env = {{ LC_ALL = "C.UTF-8" }}

[variants.bytes]
env = {{ LC_ALL = "C" }}

[workloads.sort]
driver = "command"
shell = true
prepare = "seq {{lines}} | awk '{{{{ print ($1 * 7919) % 1000003 }}}}' > lines"
command = "sort --parallel=1 --output=sorted lines && echo sorted {{lines}} lines"

[parameters]
lines = {lines}
"""

# Goes on for as long as it must be watched, then hurries to its end.
SLEEP = """
name = "sleep"
question = "Is a short sleep shorter?"

[design]
runs = 300
block = 3
seed = 7

[variants.long]
vars = { time = "0.40" }

[variants.short]
vars = { time = "0.35" }

[workloads.sleep]
driver = "command"
command = ["sh", "-c", "test -e HURRY || sleep {time}"]
"""

# Benchmarks that are called alike but for a number.
READ = """
name = "read"

[design]
runs = 6
seed = 7

[variants.once]
vars = { times = "1" }

[variants.twice]
vars = { times = "2" }

[workloads.read]
driver = "generic"
command = ["sh", "-c", "for n in 1 20 400; do echo VALUE $((n * {times} + 10)) ns cost read/$n; done"]

[[workloads.read.metrics]]
name = "cost"
unit = "ns"
better = "lower"
benchmark = "*"
values = true
"""


class Laboratory:
    """A directory of its own with results in it."""

    def __init__(self, directory):
        self.directory = Path(directory).resolve()
        self.results = self.directory / "results"
        self.results.mkdir()
        # Whoever else measures on this machine is not waited for.
        self.environment = {**os.environ, "PERFLAB_LOCK": str(self.directory / "lock")}

    def perflab(self, *arguments):
        """What the command prints."""
        done = subprocess.run([PERFLAB, *arguments], cwd=self.directory, env=self.environment,
                              timeout=PATIENCE, stdout=subprocess.PIPE, check=True)
        return done.stdout

    def start(self, *arguments):
        """The command as a process whose output is read."""
        return subprocess.Popen([PERFLAB, *arguments], cwd=self.directory, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def measure(self, name, experiment):
        """A result in the directory of results."""
        self.describe(name, experiment)
        self.perflab("run", f"{name}.toml", "--quiet", "--out", self.results / name)

    def describe(self, name, experiment):
        (self.directory / f"{name}.toml").write_text(experiment, encoding="utf-8")

    def imported(self, name, values):
        """A result with so many values of each of two variants, which no experiment here has time for."""
        source = random.Random(7)
        for variant, middle in [("old", 100), ("new", 98)]:
            lines = (f"{source.gauss(middle, 5)}\n" for _ in range(values))
            (self.directory / variant).write_text("".join(lines), encoding="utf-8")
        self.perflab("import", "old=old", "new=new", "--quiet", "--out", self.results / name)


@functools.cache
def laboratory():
    """One for all tests: `sort` sweeps a parameter, `sort-again` has its first part again with more runs, `read` has
    a chart, and `large` has many values."""
    directory = tempfile.TemporaryDirectory(prefix="perflab-pages-")
    atexit.register(directory.cleanup)
    made = Laboratory(directory.name)
    made.measure("sort", SORT.format(runs=12, lines=[5000, 10000, 20000, 40000]))
    made.measure("sort-again", SORT.format(runs=24, lines=[5000]))
    made.measure("read", READ)
    made.imported("large", 1200)
    return made


@functools.cache
def folder():
    """The first page of the result `sort` in a folder."""
    made = laboratory()
    made.perflab("report", made.results / "sort", "--quiet", "--out", made.directory / "report")
    return (made.directory / "report/index.html").as_uri()


class Server:
    """`perflab serve` on a directory, at a port."""

    def __init__(self, of, port=0):
        self.process = of.start("serve", of.results, "--port", str(port))
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        first = self.process.stdout.readline().strip() if ready else ""
        if not first:
            self.stop()
            raise TimeoutError("perflab serve did not say where")
        self.first = first
        self.port = int(first.rstrip("/").rsplit(":", 1)[1])

    def result(self, name):
        """The first page of a result."""
        return f"{self.first}results/{name}/index.html"

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


@functools.cache
def server():
    """One for all tests that do not stop it."""
    started = Server(laboratory())
    atexit.register(started.stop)
    return started


@contextlib.contextmanager
def measuring(of):
    """The experiment `sleep`, which goes on meanwhile, and a function that lets it come to its end."""
    hurry = of.directory / "hurry"
    of.describe("sleep", SLEEP.replace("HURRY", str(hurry)))
    process = of.start("run", "sleep.toml", "--quiet", "--out", of.results / "sleep")

    def finish():
        hurry.touch()
        process.wait(PATIENCE)

    try:
        yield finish
    finally:
        # Asked to end: the laboratory then stops what it has started.
        process.terminate()
        process.communicate(timeout=PATIENCE)
