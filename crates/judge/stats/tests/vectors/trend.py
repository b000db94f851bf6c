"""Reference numbers for trends, from SciPy and pymannkendall.

Run in this directory: python3 trend.py  (writes trend.json; SciPy 1.17, NumPy 2.4, pymannkendall 1.4)

exact: Mann and Kendall's test by SciPy's exact distribution of Kendall's tau, and the slopes that it
does not refuse, found by testing the values less a line between each two neighbouring slopes.
normal: the test by pymannkendall (corrected for ties and continuity), the interval by theilslopes.
"""

import json

import numpy as np
import pymannkendall
from scipy import stats

rng = np.random.default_rng(20240907)


def slopes(x, y):
    i, j = np.triu_indices(len(y), 1)
    return np.sort((y[j] - y[i]) / (x[j] - x[i]))


def line(x, y, alpha):
    found = stats.theilslopes(y, x, alpha=1 - alpha, method="joint")
    return {"x": x.tolist(), "y": y.tolist(), "alpha": alpha, "slope": found.slope,
            "intercept": found.intercept}, found


def exact(x, y, alpha):
    out, _ = line(x, y, alpha)
    order = np.arange(len(y))
    out["p"] = stats.kendalltau(order, y, method="exact").pvalue
    s = slopes(x, y)
    between = np.concatenate([[s[0] - 1], (s[1:] + s[:-1]) / 2, [s[-1] + 1]])
    kept = [stats.kendalltau(order, y - b * x, method="exact").pvalue > alpha for b in between]
    # An interval without ends: even slopes beyond all of those found are not refused.
    closed = not kept[0] and not kept[-1]
    out["low"] = s[kept.index(True) - 1] if closed else None
    out["high"] = s[len(kept) - 1 - kept[::-1].index(True)] if closed else None
    return out


def normal(x, y, alpha):
    out, found = line(x, y, alpha)
    test = pymannkendall.original_test(y, alpha=alpha)
    return out | {"p": test.p, "s": test.s, "low": found.low_slope, "high": found.high_slope}


def series(n, slope, digits=None):
    """The places have gaps, as where all runs of a block failed."""
    x = np.sort(rng.choice(np.arange(1, n + n // 4 + 1), n, replace=False)).astype(float)
    y = 100 + slope * x + rng.normal(0, 1, n)
    return x, np.round(y, 6 if digits is None else digits)


out = {
    "exact": [exact(*series(n, slope), alpha)
              for n in (3, 4, 5, 6, 7, 10, 20, 33, 50) for slope in (0, 0.1, 1)
              for alpha in (0.05, 0.01)],
    "normal": [normal(*series(n, slope, digits), alpha)
               for n, digits in ((6, 0), (10, 0), (25, 1), (30, 0), (51, None), (80, None), (120, 0))
               for slope in (0, 0.02, 0.2) for alpha in (0.05, 0.01)],
}
with open("trend.json", "w") as file:
    lists = [f'"{name}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]" for name, cases in out.items()]
    file.write("{" + ",\n".join(lists) + "}\n")
