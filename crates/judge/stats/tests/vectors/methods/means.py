"""Means, and the ratio of means."""

import numpy as np
from scipy import stats


def t_result(r, confidence):
    ci = r.confidence_interval(confidence)
    return {"t": r.statistic, "df": float(r.df), "p": r.pvalue, "low": ci.low, "high": ci.high}


def fieller(a, b, confidence):
    ma, mb, va, vb = a.mean(), b.mean(), a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    t = stats.t.isf((1 - confidence) / 2, len(a) + len(b) - 2)
    # The ratios r whose contrast mb - r ma is not significant: a quadratic in r.
    roots = np.roots([ma**2 - t * t * va, -2 * ma * mb, mb**2 - t * t * vb])
    g = t * t * va / ma**2
    bounded = g < 1
    return {"ratio": mb / ma, "g": g,
            "low": float(min(roots.real)) if bounded else None,
            "high": float(max(roots.real)) if bounded else None}


def vectors(rng, pairs):
    yield "means", [
        {
            "a": a.tolist(), "b": b.tolist(), "confidence": c,
            "student": t_result(stats.ttest_ind(b, a), c),
            "welch": t_result(stats.ttest_ind(b, a, equal_var=False), c),
            "logs": t_result(stats.ttest_ind(np.log(b), np.log(a), equal_var=False), c)
            if min(*a, *b) > 0 else None,
            "fieller": fieller(a, b, c),
        }
        for a, b in pairs for c in (.95, .99)
    ]
