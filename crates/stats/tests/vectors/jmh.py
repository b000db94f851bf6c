"""A few processes of Java benchmarks, with the classification that was published of them.

Run in this directory: python3 jmh.py CHECKOUT  (writes jmh.json)
CHECKOUT is a clone of https://github.com/SEALABQualityGroup/steady-state (here at 4220a5d), the data of
Traini, Cortellessa, Di Pompeo and Tucci, Empirical Software Engineering 28 (2023) 13: 3000 iterations
of each process, data/timeseries/all, and whether and after which iteration it is steady within 5 %,
data/classification. Of 586 benchmarks these are five where the answer is plain. Times are written down
in ten thousandths of the process's median.
"""

import json
import subprocess
import sys
from statistics import median

# Number of the benchmark in alphabetical order, and the process of it.
CHOSEN = [(328, 8), (355, 5), (171, 1), (21, 1), (388, 8)]


def git(*words):
    return subprocess.run(["git", "-C", sys.argv[1], *words], capture_output=True, check=True, text=True).stdout


names = git("ls-tree", "--name-only", "HEAD", "data/classification/").splitlines()
rows = []
for number, process in CHOSEN:
    name = names[number].removeprefix("data/classification/")
    published = json.loads(git("show", f"HEAD:data/classification/{name}"))
    times = json.loads(git("show", f"HEAD:data/timeseries/all/{name}"))[process]
    middle = median(times)
    rows.append({
        "name": name.removesuffix(".json"), "process": process,
        "class": published["forks"][process], "last_before": published["steady_state_starts"][process],
        "values": [round(1e4 * time / middle) for time in times]})
with open("jmh.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n")
