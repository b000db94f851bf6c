"""Reference numbers for the tests: from SciPy and NumPy, changes and classes of processes from R.

Run in this directory: python3 generate.py
Writes vectors.json, planning.json (SciPy 1.17, NumPy 2.4), changes.json and classes.json (R 4.2, its
package changepoint 2.3). Each method is a file in methods/, which yields names and what belongs to them.
"""

import json
import subprocess

import numpy as np
from methods import (
    blocked_means, brunner_munzel, distributions, harrell_davis, location, means, nested, planning,
    power, proportions, rank_process, samples, serial, summaries, tied)

# They draw from one stream of random numbers, in this order: a new one belongs at the end.
IN_ORDER = [
    distributions, summaries, location, tied, means, blocked_means, brunner_munzel, proportions,
    power, nested, serial, harrell_davis, rank_process]


def write(name, content):
    with open(name, "w") as f:
        json.dump(content, f, indent=1, default=float, allow_nan=False)
        f.write("\n")


rng = np.random.default_rng(20240229)
pairs = list(samples.pairs(rng))
write("vectors.json", {name: rows for method in IN_ORDER for name, rows in method.vectors(rng, pairs)})
write("planning.json", dict(planning.vectors()))
for script in ("changes.R", "classes.R"):
    subprocess.run(["Rscript", script], check=True)
