"""Hodges-Lehmann within blocks, without ties; Mann-Whitney for many values."""

import numpy as np
from scipy import stats

from .samples import A, B, IN_THREES, blocked


def mw_pmf(n, m):
    row = [np.array([1.0]) for _ in range(m + 1)]
    for i in range(1, n + 1):
        new = [np.array([1.0])]
        for j in range(1, m + 1):
            r = np.zeros(i * j + 1)
            r[j:j + len(row[j])] += row[j] * (i / (i + j))
            r[:len(new[j - 1])] += new[j - 1] * (j / (i + j))
            new.append(r)
        row = new
    return row[m]


def stratified(blocks, alpha, shift=False):
    pmf = np.array([1.0])
    for a, b in blocks:
        pmf = np.convolve(pmf, mw_pmf(len(a), len(b)))
    cdf = np.cumsum(pmf)
    effect = (lambda a, b: b[:, None] - a) if shift else (lambda a, b: np.log(b[:, None] / a))
    pairs = np.sort(np.concatenate([effect(a, b).ravel() for a, b in blocks]))
    back = (lambda v: float(v)) if shift else (lambda v: float(np.exp(v)))
    total = len(pairs)
    u = int((pairs > 0).sum())
    k = int(np.searchsorted(cdf, alpha / 2, side="right") - 1)
    return {
        "a": [a.tolist() for a, _ in blocks], "b": [b.tolist() for _, b in blocks],
        "shift": shift, "confidence": 1 - alpha, "u": u, "k": k if k >= 0 else None,
        "p": float(min(1, 2 * cdf[min(u, total - u)])),
        "effect": back(np.median(pairs)),
        "low": back(pairs[k]) if k >= 0 else None,
        "high": back(pairs[total - 1 - k]) if k >= 0 else None,
    }


def vectors(rng, pairs):
    yield "location", [
        stratified(blocks, alpha, shift)
        for blocks in [[(A, B)], IN_THREES, blocked(rng, [(4, 4)]), blocked(rng, [(3, 3)]), blocked(rng, [(1, 1)] * 9),
                       blocked(rng, [(2, 5), (3, 3), (1, 4), (7, 2)]), blocked(rng, [(20, 25), (30, 10)])]
        for alpha in (.05, .01) for shift in (False, True)
    ]
    yield "mann_whitney_asymptotic", [
        {"a": a.tolist(), "b": b.tolist(), **{
            side: float(stats.mannwhitneyu(b, a, method="asymptotic", alternative=side).pvalue)
            for side in ("two-sided", "less", "greater")}}
        for a, b in [
            (rng.integers(0, 60, 500).astype(float), rng.integers(2, 62, 450).astype(float)),
            (rng.normal(0, 1, 400), rng.normal(0.2, 1, 300)),
        ]
    ]
