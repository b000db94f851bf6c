"""Values in their order."""

import numpy as np
from scipy import stats

from .samples import A, B, IGUANA


def serial(y):
    d = y - y.mean()
    tau = stats.kendalltau(np.arange(len(y)), y, method="asymptotic")
    return {"y": y.tolist(), "ratio": (np.diff(y)**2).sum() / (d * d).sum(),
            "tau": tau.statistic, "tau_p": tau.pvalue, "slope": stats.theilslopes(y).slope}


def vectors(rng, pairs):
    yield "serial", [
        serial(y)
        for y in [A, B, IGUANA, rng.normal(0, 1, 40).cumsum(), rng.integers(0, 6, 60).astype(float),
                  np.arange(25.0)**1.5 + rng.normal(0, 9, 25), rng.normal(1e6, 1, 200),
                  np.array([3.0, 1, 2])]
    ]
