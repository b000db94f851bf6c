"""Reference numbers for flaky tests, by the sum over all ways to cut a history into segments.

Run in this directory: python3 flaky.py  (writes flaky.json; the standard library only)

The model is that of docs/statistics/flaky.md. A history of n revisions has 2^(n-1) cuts. Given a cut, segments are
independent, so that each probability is a sum of products: no recursion over states, as the crate has it.
"""

import itertools
import json
import math
import random

CELLS, CHANCES = 24, 8
TOP = math.log(999)
LOGITS = [-TOP + 2 * TOP * (i + 0.5) / CELLS for i in range(CELLS)]
RATES = [0.0, 1.0] + [1 / (1 + math.exp(-x)) for x in LOGITS]
WEIGHTS = [1 / 3, 1 / 3] + [1 / 3 / CELLS] * CELLS
HAZARDS = [10 ** (-3 + 2 * (i + 0.5) / CHANCES) for i in range(CHANCES)]

SETS = {
    "passes": [s for s, rate in enumerate(RATES) if rate < 0.5],
    "fails": [s for s, rate in enumerate(RATES) if rate > 0.5],
    "flaky": [s for s, rate in enumerate(RATES) if 0 < rate < 1],
}


def likelihood(rate, part):
    value = 1.0
    for passed, failed in part:
        value *= (1 - rate) ** passed * rate ** failed
    return value


def judge(history):
    n = len(history)
    total = 0.0
    end = [0.0] * len(RATES)
    since = {name: [0.0] * n for name in SETS}
    for hazard in HAZARDS:
        for cuts in itertools.product([False, True], repeat=n - 1):
            starts = [0] + [i + 1 for i, cut in enumerate(cuts) if cut]
            prior = hazard ** sum(cuts) * (1 - hazard) ** (n - 1 - sum(cuts)) / CHANCES
            ends = starts[1:] + [n]
            own = [[w * likelihood(rate, history[a:b]) for w, rate in zip(WEIGHTS, RATES)]
                   for a, b in zip(starts, ends)]
            sums = [sum(part) for part in own]
            whole = prior * math.prod(sums)
            total += whole
            before = prior * math.prod(sums[:-1])
            for s, value in enumerate(own[-1]):
                end[s] += before * value
            for name, states in SETS.items():
                # The last segments lie in the set, and the one before them, if there is one, does not.
                inside = [sum(part[s] for s in states) for part in own]
                for first in range(len(starts)):
                    value = prior * math.prod(inside[first:])
                    if first > 0:
                        value *= math.prod(sums[:first - 1]) * (sums[first - 1] - inside[first - 1])
                    since[name][starts[first]] += value
    return {
        "history": history,
        "passes": end[0] / total,
        "fails": end[1] / total,
        "flaky": sum(end[2:]) / total,
        "rate": sum(value * rate for value, rate in zip(end, RATES)) / total,
        "since": {name: [value / total for value in values] for name, values in since.items()},
    }


def word(letters):
    return [(int(c == "P"), int(c == "F")) for c in letters]


random.seed(20261126)
histories = [word(text) for text in (
    "P", "F", "PF", "FP", "PPPPPPPP", "PPPPPPPF", "PPPPPPFF", "PPPFPPPP", "PFPFPFPF", "FFFFPPPP", "FFFPFFFF", "PP.PF.FF")]
histories += [[(1, 0), (3, 1), (1, 0), (2, 0)], [(2, 0), (0, 0), (0, 3)], [(20, 1)], [(5, 0), (5, 0), (0, 5), (0, 5)]]
for _ in range(24):
    rate = random.choice([0.02, 0.1, 0.5, 0.9])
    histories.append([(sum(flips), len(flips) - sum(flips)) for flips in (
        [random.random() >= rate for _ in range(random.choice([0, 1, 1, 3]))] for _ in range(random.randint(2, 9)))])
histories = [history for history in histories if any(sum(pair) for pair in history)]
json.dump([judge(history) for history in histories], open("flaky.json", "w"), indent=None, separators=(",", ":"))
