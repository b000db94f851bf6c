"""Bootstrap intervals, over all resamples."""

import itertools

import numpy as np
from scipy import stats

from .samples import CHAMELEON, IGUANA


class Resamples:
    """What scipy.stats.bootstrap needs to know of resamples that it did not draw."""

    def __init__(self, values):
        self.bootstrap_distribution = values


def bootstrap(x, name, confidence):
    of = getattr(np, name)
    everything = of(x[np.array(list(itertools.product(range(len(x)), repeat=len(x))))], axis=1)
    found = {
        method: stats.bootstrap(
            (x,), of, n_resamples=0, vectorized=True, method=method, confidence_level=confidence,
            bootstrap_result=Resamples(everything)).confidence_interval
        for method in ("percentile", "BCa")}
    return {"x": x.tolist(), "statistic": name, "confidence": confidence,
            "percentile": list(found["percentile"]), "bca": list(found["BCa"])}


def vectors(rng, pairs):
    # Whole numbers, whose means come out the same in any order, since SciPy compares them exactly.
    yield "bootstrap", [
        bootstrap(x, name, confidence)
        for x in [np.array([10.0, 11, 12, 14, 15, 21]), IGUANA, CHAMELEON, np.array([1.0, 2, 8, 64])]
        for name in ("mean", "median") for confidence in (.95, .8)
        if not (name == "median" and len(x) == 4)
    ]
