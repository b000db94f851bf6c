"""The rank e-process, by enumeration."""

import itertools

import numpy as np

from .samples import IN_THREES


def rank_process(blocks, confidence=0.95):
    """The rank e-process by enumeration: every arrangement of the labels, every pair counted."""
    bets, shares = [.6, 1.2, 2.2, 4.4], np.array([1, 1, 5, 5]) / 12

    def u(a, b, ratio):
        return sum(1.0 if y / x > ratio else 0.5 if y / x == ratio else 0.0 for x in a for y in b)

    def mean(lam, n, m):
        ranks = [sum(c) - m * (m + 1) / 2 for c in itertools.combinations(range(1, n + m + 1), m)]
        return np.mean([np.exp(lam * (r - n * m / 2)) for r in ranks])

    powers, power = [], 1.0
    for k in range(1, len(blocks) + 1):
        powers.append(power)
        if k in (4, 8, 16, 32):
            seen = blocks[:k]
            centre = np.exp(np.median([np.log(y / x) for a, b in seen for x in a for y in b]))
            pairs = [y / x for a, b in seen for x in a for y in b]
            centre = min(pairs, key=lambda v: abs(v - centre)) if len(pairs) % 2 else centre
            squares = sum((u(a, b, centre) - len(a) * len(b) / 2) ** 2 for a, b in seen)
            expected = sum(len(a) * len(b) * (len(a) + len(b) + 1) / 12 for a, b in seen)
            power = max(1.0, squares / expected - np.sqrt(2 / k))

    def path(ratio, sign):
        stakes, wealth = shares.copy(), []
        for (a, b), power in zip(blocks, powers):
            n, m = len(a), len(b)
            away = sign * (u(a, b, ratio) - n * m / 2)
            lam = np.array(bets) / (n + m + 1)
            stakes = stakes * np.exp(lam * away) / np.array([mean(v, n, m) for v in lam]) ** power
            wealth.append(stakes.sum())
        return np.array(wealth)

    up, down = path(1, 1), path(1, -1)
    p = min(1, 2 / max(1, up.max(), down.max()))
    bar = 2 / (1 - confidence)
    ratios = sorted({y / x for a, b in blocks for x in a for y in b})
    between = [ratios[0] / 2] + [np.sqrt(x * y) for x, y in zip(ratios, ratios[1:])] + [ratios[-1] * 2]
    low = [r for r, below in zip(ratios, between) if path(below, 1).max() >= bar]
    high = [r for r, above in zip(ratios, between[1:]) if path(above, -1).max() >= bar]
    return {"a": [list(a) for a, _ in blocks], "b": [list(b) for _, b in blocks],
            "e": list((up + down) / 2), "p": p, "up_at_1.01": 1 / max(1, path(1.01, 1).max()),
            "powers": powers,
            "low": max(low) if low else 0, "high": min(high) if high else None}


def vectors(rng, pairs):
    # Its own stream: those of the other methods stay what they are.
    rng = np.random.default_rng(11)
    yield "rank_process", [
        rank_process(IN_THREES),
        rank_process([(rng.normal(100, 1, 3), rng.normal(102, 1, 3)) for _ in range(10)]),
        rank_process([(rng.normal(100, .5, 3), rng.normal(100, 5, 3)) for _ in range(20)]),
        rank_process([(rng.normal(100, .2, 5), rng.normal(100, 5, 5)) for _ in range(12)], .8),
        rank_process([(rng.normal(100, 1, n), rng.normal(98, 2, m)) for n, m in [(3, 3), (2, 3), (1, 1), (5, 4), (3, 2)]], .9),
        rank_process([(rng.integers(50, 56, 3) * 1.0, rng.integers(52, 58, 3) * 1.0) for _ in range(9)]),
    ]
