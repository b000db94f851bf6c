"""A history of a small repository, measured, and a server of it."""

import atexit
import functools
import os
import subprocess
import tempfile

from laboratory import PATIENCE, Laboratory, Server

EXPERIMENT = """
[design]
runs = 2
block = 1
[variants.any]
vars = { tree = "." }
[workloads.build]
driver = "generic"
command = ["cat", "{tree}/built"]
[[workloads.build.metrics]]
name = "size"
unit = "bytes"
better = "lower"
regex = '^(\\d+)'
"""

HISTORY = """
name = "past"
question = "Since when is it so large?"
[source]
git = "repository"
[build]
steps = [["sh", "build.sh"]]
[measure]
experiment = "past-experiment.toml"
together = 30
[tests]
commands = [["cat", "results"]]
format = "result-lines"
[[quirks]]
at = "2026-01-11"
what = "another compiler"
"""

# The size of each revision: it grows with the 15th, and wanders besides.
SIZES = [1000 + day * 37 % 11 + (0 if day < 15 else 50) for day in range(1, 31)]


def commit(repository, day, script):
    (repository / "build.sh").write_text(script, encoding="utf-8")
    time = f"2026-01-{day:02}T12:00:00Z"
    environment = {**os.environ, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}
    for words in (["add", "--all"], ["commit", "--quiet", "--message", f"change {day}"]):
        git(repository, *words, environment=environment)


def git(repository, *words, environment=None):
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *who, *words], cwd=repository, env=environment, timeout=PATIENCE, check=True)


@functools.cache
def past():
    """The server of a history whose size grows with the revision of the 15th."""
    directory = tempfile.TemporaryDirectory(prefix="perflab-past-")
    atexit.register(directory.cleanup)
    made = Laboratory(directory.name)
    made.describe("past-experiment", EXPERIMENT)
    made.describe("past", HISTORY)
    repository = made.directory / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch", "main")
    for day, size in enumerate(SIZES, start=1):
        outcome = "FAIL" if day >= 20 else "PASS"
        commit(repository, day, f"echo {size} > built\necho PASS steady > results\necho {outcome} breaks >> results\n")
    commit(repository, len(SIZES) + 1, "exit 3\n")
    made.perflab("history", "run", "past.toml", "--quiet", "--out", made.results / "past")
    started = Server(made)
    atexit.register(started.stop)
    return started
