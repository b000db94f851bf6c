"""Ways to measure the same thing, compared in the same minutes: each is an experiment of its own."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PERFLAB = os.path.abspath(os.environ.get("PERFLAB", os.path.join(ROOT, "target/release/perflab")))
# Seconds after which the next way has its turn: what `limit` of each experiment must say.
TURN = 20
# The exit code of an experiment whose time ran out.
LIMIT = 124
# Work of a command that computes, in iterations: about 1 s.
SPINS = 1_500_000_000
SPIN = """
#include <stdlib.h>
int main(int argc, char **argv) {
    volatile unsigned long sink = 0;
    for (unsigned long i = 0, rounds = strtoul(argv[argc - 1], 0, 10); i < rounds; i++) sink += i;
    return 0;
}
"""


def spinning(directory):
    """A command that computes for about a second, compiled into this directory."""
    spin = os.path.join(directory, "spin")
    subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", spin], input=SPIN.encode(), check=True)
    return f"{spin} {SPINS}"


def measure(directory, experiments):
    """Goes on with one experiment after the other until all are complete. Their results are named as they are."""
    for name, text in experiments.items():
        with open(os.path.join(directory, f"{name}.toml"), "w", encoding="utf-8") as file:
            file.write(text)
    left = dict.fromkeys(experiments)
    while left:
        for name in list(left):
            result = os.path.join(directory, name)
            command = [PERFLAB, "run", f"{name}.toml", "--quiet", "--out", result]
            if os.path.exists(os.path.join(result, "meta.json")):
                command.append("--resume")
            done = subprocess.run(command, cwd=directory, check=False, capture_output=True, text=True)
            if done.returncode == 0:
                del left[name]
            elif done.returncode != LIMIT:
                sys.exit(f"{' '.join(command)}: {done.stderr}")


def rows(result):
    """What `perflab compare` says of each variant, metric and benchmark."""
    said = subprocess.run([PERFLAB, "compare", result, "--gate", "none", "--format", "json"],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(said)["rows"]
