"""Values in their order."""

import numpy as np
from scipy import stats

from .samples import A, B, IGUANA


def serial(y):
    n, d = len(y), y - y.mean()
    lags = min(5, n - 1)
    r = np.array([(d[k:] * d[:n - k]).sum() for k in range(1, lags + 1)]) / (d * d).sum()
    q = n * (n + 2) * (r**2 / (n - np.arange(1, lags + 1))).sum()
    tau = stats.kendalltau(np.arange(n), y, method="asymptotic")
    return {"y": y.tolist(), "r": r.tolist(), "q": q, "q_p": stats.chi2.sf(q, lags),
            "ratio": (np.diff(y)**2).sum() / (d * d).sum(),
            "tau": tau.statistic, "tau_p": tau.pvalue, "slope": stats.theilslopes(y).slope}


def vectors(rng, pairs):
    yield "serial", [
        serial(y)
        for y in [A, B, IGUANA, rng.normal(0, 1, 40).cumsum(), rng.integers(0, 6, 60).astype(float),
                  np.arange(25.0)**1.5 + rng.normal(0, 9, 25), rng.normal(1e6, 1, 200),
                  np.array([3.0, 1, 2])]
    ]
