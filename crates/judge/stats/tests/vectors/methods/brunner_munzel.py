"""Brunner-Munzel, and its permutation form by trying every labelling."""

import itertools

import numpy as np
from scipy import stats

from .samples import CHAMELEON, IGUANA


def brunner_munzel_exact(a, b):
    def size(x, y):
        with np.errstate(all="ignore"):
            w = stats.brunnermunzel(x, y).statistic
        return 0.0 if np.isnan(w) else abs(w)
    pooled, observed = np.concatenate([a, b]), size(a, b)
    extreme = tried = 0
    for chosen in itertools.combinations(range(len(pooled)), len(b)):
        mask = np.zeros(len(pooled), bool)
        mask[list(chosen)] = True
        tried += 1
        extreme += size(pooled[~mask], pooled[mask]) >= observed * (1 - 1e-9)
    return {"a": a.tolist(), "b": b.tolist(), "extreme": int(extreme), "tried": tried}


def vectors(rng, pairs):
    results = [(a, b, stats.brunnermunzel(a, b)) for a, b in pairs]
    yield "brunner_munzel", [
        {"a": a.tolist(), "b": b.tolist(), "statistic": r.statistic, "p": r.pvalue}
        for a, b, r in results if np.isfinite(r.statistic)
    ]
    yield "brunner_munzel_exact", [
        brunner_munzel_exact(a, b)
        for a, b in [(IGUANA, CHAMELEON), (rng.normal(0, 1, 4), rng.normal(1, 3, 6)),
                     (rng.integers(0, 4, 5).astype(float), rng.integers(1, 5, 4).astype(float)),
                     (np.array([1., 2, 3]), np.array([4., 5, 6, 7]))]
    ]
