"""Values within runs within builds."""

import numpy as np
from scipy import stats


def nested(rng, shape):
    y = 100 + rng.normal(0, 1, shape)
    for level in range(1, len(shape)):
        y = y + rng.normal(0, .7, shape[:level] + (1,) * (len(shape) - level))
    s, means = [], y
    while means.ndim:
        s.append(float(means.var(axis=-1, ddof=1).mean()))
        means = means.mean(axis=-1)
    f = stats.f_oneway(*y).statistic if y.ndim == 2 else None
    return {"values": y.ravel().tolist(), "repetitions": list(shape), "mean": y.mean(),
            "s": s[::-1], "f": f}


def vectors(rng, pairs):
    yield "nested", [nested(rng, shape) for shape in [(7,), (5, 4), (3, 10), (4, 3, 5), (3, 2, 4, 2)]]
