"""Means within blocks."""

import numpy as np
from scipy import stats

from .samples import IN_THREES, blocked


def additive(blocks):
    """Least squares with a column per block and one for the variant."""
    y, rows, side = [], [], []
    for i, (a, b) in enumerate(blocks):
        for values, is_b in ((a, 0.0), (b, 1.0)):
            for v in values:
                y.append(v)
                rows.append([float(i == j) for j in range(len(blocks))] + [is_b])
    x, y = np.array(rows), np.array(y)
    beta, *_ = np.linalg.lstsq(x, y, rcond=None)
    df = len(y) - x.shape[1]
    s2 = ((y - x @ beta) ** 2).sum() / df
    se = np.sqrt(s2 * np.linalg.inv(x.T @ x)[-1, -1])
    t = beta[-1] / se
    hw = stats.t.isf(.025, df) * se
    return {"difference": beta[-1], "t": t, "df": df, "p": 2 * stats.t.sf(abs(t), df),
            "low": beta[-1] - hw, "high": beta[-1] + hw}


def weighted(blocks):
    n = np.array([len(a) for a, _ in blocks])
    m = np.array([len(b) for _, b in blocks])
    w = n * m / (n + m)
    w = w / w.sum()
    d = np.sum(w * [b.mean() - a.mean() for a, b in blocks])
    sa = sum(((a - a.mean())**2).sum() for a, _ in blocks) / (n - 1).sum()
    sb = sum(((b - b.mean())**2).sum() for _, b in blocks) / (m - 1).sum()
    va, vb = (w * w / n).sum() * sa, (w * w / m).sum() * sb
    df = (va + vb)**2 / (va**2 / (n - 1).sum() + vb**2 / (m - 1).sum())
    t = d / np.sqrt(va + vb)
    hw = stats.t.isf(.025, df) * np.sqrt(va + vb)
    return {"difference": d, "t": t, "df": df, "p": 2 * stats.t.sf(abs(t), df),
            "low": d - hw, "high": d + hw}


def vectors(rng, pairs):
    yield "blocked", [
        {"a": [a.tolist() for a, _ in blocks], "b": [b.tolist() for _, b in blocks],
         "additive": additive(blocks), "welch": weighted(blocks)}
        for blocks in [IN_THREES, blocked(rng, [(3, 3)] * 6), blocked(rng, [(2, 5), (4, 1), (1, 3), (6, 6)])]
    ]
