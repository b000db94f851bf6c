"""Permutation tests, over all arrangements."""

import numpy as np
from scipy import stats

from .samples import CHAMELEON, IGUANA


def permutation(a, b, name):
    """SciPy's two-sided p-value doubles one tail; the size of the difference asks the other way."""
    of = getattr(np, name)
    r = stats.permutation_test(
        (a, b), lambda x, y, axis: np.abs(of(y, axis=axis) - of(x, axis=axis)),
        vectorized=True, n_resamples=np.inf, alternative="greater")
    return {"a": a.tolist(), "b": b.tolist(), "statistic": name, "p": r.pvalue,
            "tried": len(r.null_distribution)}


def vectors(rng, pairs):
    yield "permutation", [
        permutation(a, b, name)
        for a, b in [(IGUANA, CHAMELEON), (pairs[6][0], pairs[6][1]), (pairs[2][0], pairs[2][1]),
                     (1e6 + rng.normal(0, 1, 5), 1e6 + rng.normal(1, 3, 7)),
                     (rng.integers(0, 5, 6).astype(float), rng.integers(1, 6, 6).astype(float))]
        for name in ("mean", "median")
    ]
