"""Hartigan's dip, by linear programmes."""

import numpy as np
from scipy import optimize

from .samples import A, B, CHAMELEON, IGUANA


def dip(x):
    """The definition as a linear programme for each place of the mode: the continuous function
    that is convex before it, concave behind it, and nearest to the sample's."""
    v, counts = np.unique(x, return_counts=True)
    upto = np.cumsum(counts) / len(x)
    below = upto - counts / len(x)
    k, best = len(v), 1.0
    v = (v - v[0]) / (v[-1] - v[0])
    # Unknowns: the function at each value, and the distance.
    common, bounds = [], []
    for i in range(k):
        row = np.zeros(k + 1)
        row[i], row[k] = -1, -1
        common.append(row)
        bounds.append(-upto[i])
        row = np.zeros(k + 1)
        row[i], row[k] = 1, -1
        common.append(row)
        bounds.append(below[i])
        if i + 1 < k:
            row = np.zeros(k + 1)
            row[i], row[i + 1] = 1, -1
            common.append(row)
            bounds.append(0.0)
    for mode in range(k):
        rows = []
        for i in range(1, k - 1):
            if i != mode:
                left, right = 1 / (v[i] - v[i - 1]), 1 / (v[i + 1] - v[i])
                row = np.zeros(k + 1)
                row[i - 1:i + 2] = np.array([-left, left + right, -right]) / max(left, right)
                rows.append(row if i < mode else -row)
        r = optimize.linprog([0] * k + [1], A_ub=np.array(common + rows),
                             b_ub=bounds + [0] * len(rows), bounds=[(0, 1)] * (k + 1))
        best = min(best, r.fun) if r.success else best
    return {"x": x.tolist(), "dip": best}


def vectors(rng, pairs):
    yield "dip", [
        dip(x)
        for x in [A, B, IGUANA, CHAMELEON]
        + [rng.normal(0, 1, n) for n in (2, 3, 5, 12, 20)]
        + [rng.lognormal(0, 2, n) for n in (8, 15)]
        + [np.concatenate([rng.normal(0, 1, n), rng.normal(6, 1, n)]) for n in (5, 12)]
        + [rng.integers(0, levels, 14).astype(float) for levels in (2, 3, 5, 9, 20)]
    ]
