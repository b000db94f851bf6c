"""Brunner-Munzel."""

import numpy as np
from scipy import stats


def vectors(rng, pairs):
    results = [(a, b, stats.brunnermunzel(a, b)) for a, b in pairs]
    yield "brunner_munzel", [
        {"a": a.tolist(), "b": b.tolist(), "p": r.pvalue}
        for a, b, r in results if np.isfinite(r.statistic)
    ]
