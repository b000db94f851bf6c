"""The spread of a pilot, and the runs that show a difference of the mean."""

import numpy as np
from scipy import stats

from .samples import A, B


def spread(each):
    """Coefficient of variation within sides of blocks, its degrees of freedom and upper end."""
    squares = df = 0
    for side in (A, B):
        blocks = side.reshape(-1, each)
        squares += ((blocks - blocks.mean(axis=1, keepdims=True)) ** 2).sum() / side.mean() ** 2
        df += blocks.size - len(blocks)
    cv = np.sqrt(squares / df)
    return {"each": each, "estimate": cv, "upper": cv * np.sqrt(df / stats.chi2.ppf(0.2, df))}


def power(n, difference, spread, confidence):
    """Welch's test of n runs about 1 and n about 1 + difference, each with this relative deviation."""
    a, b = spread**2 / n, (spread * (1 + difference)) ** 2 / n
    df, nc = (a + b) ** 2 * (n - 1) / (a**2 + b**2), difference / np.sqrt(a + b)
    return stats.nct.sf(stats.t.isf((1 - confidence) / 2, df), df, nc)


def runs(difference, spread, confidence, goal):
    """Fewest runs of each side for which the two-sided test has the power."""
    n = 2
    while power(n, difference, spread, confidence) < goal:
        n += 1
    return {"difference": difference, "spread": spread, "confidence": confidence, "power": goal, "runs": n}


def vectors():
    yield "spread", [spread(each) for each in (2, 3, 5, 30)]
    yield "mean_runs", [
        runs(d, s, c, p)
        for d, s in [(0.01, 0.01), (0.01, 0.03), (0.05, 0.02), (0.02, 0.1), (0.5, 0.3), (0.9, 0.3), (0.5, 0.2)]
        for c, p in [(0.95, 0.8), (0.96, 0.8), (0.99, 0.9)]
    ]
