"""Sameness within a margin."""

import numpy as np
from scipy import stats

Y1 = np.array([100.1, 99.8, 100.4, 100.0, 99.7, 100.2, 99.9, 100.3, 100.1, 99.6])
Y2 = np.array([100.2, 100.0, 99.9, 100.5, 99.8, 100.1, 100.3, 99.7, 100.2, 100.4])


def tost(a, b, margin, equal_var):
    low = stats.ttest_ind(b + margin, a, equal_var=equal_var, alternative="greater").pvalue
    high = stats.ttest_ind(b - margin, a, equal_var=equal_var, alternative="less").pvalue
    ci = stats.ttest_ind(b, a, equal_var=equal_var).confidence_interval(.9)
    return {"a": a.tolist(), "b": b.tolist(), "margin": margin, "pooled": equal_var,
            "p_lower": low, "p_upper": high, "low": ci.low, "high": ci.high}


def vectors(rng, pairs):
    yield "tost", [tost(a, b, margin, ev)
                   for a, b, margin in [(Y1, Y2, .01 * Y1.mean()), (*pairs[2], 3.0), (*pairs[7], 0.5)]
                   for ev in (True, False)]
