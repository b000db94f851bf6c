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
            "s": s[::-1], "f": f, "from_below": from_below(s[::-1], shape) if y.ndim > 1 else None}


def from_below(s, shape):
    """The share of the level below in the variance of the highest level's means, with an interval of 95 %."""
    units, repetitions = shape[:2]
    share = s[1] / repetitions / s[0]
    ends = share * stats.f.ppf([.025, .975], units - 1, units * (repetitions - 1))
    return np.minimum([share, *ends], 1).tolist()


def vectors(rng, pairs):
    yield "nested", [nested(rng, shape) for shape in [(7,), (5, 4), (3, 10), (4, 3, 5), (3, 2, 4, 2)]]
