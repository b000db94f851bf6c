"""Reference numbers for the tests, from SciPy and NumPy.

Run in this directory: python3 generate.py  (writes vectors.json; SciPy 1.17, NumPy 2.4)
"""

import itertools
import json

import numpy as np
from scipy import integrate, optimize, special, stats
from scipy.stats import mstats

rng = np.random.default_rng(20240229)
out = {}


def data(name):
    return np.loadtxt(f"../data/redis-like-{name}.txt")


A, B = data("a"), data("b")
IGUANA = np.array([50, 200, 150, 400, 750, 400, 150.0])
CHAMELEON = np.array([150, 400, 720, 500, 930.0])


def samples():
    """Pairs of samples of many shapes: unequal sizes and spreads, ties, large offsets."""
    yield A, B
    yield IGUANA, CHAMELEON
    yield rng.normal(100, 1, 5), rng.normal(101, 4, 9)
    yield rng.normal(1e6, 1, 12), rng.normal(1e6 + 1, 1, 12)
    yield rng.lognormal(0, 1, 40), rng.lognormal(0.3, 0.5, 17)
    yield rng.integers(10, 20, 25).astype(float), rng.integers(12, 22, 30).astype(float)
    yield rng.normal(50, 1, 2), rng.normal(52, 1, 3)
    yield rng.normal(5, 1, 300), rng.normal(5.2, 2, 500)


PAIRS = list(samples())

# Distributions -------------------------------------------------------------------------------
dfs = [1, 1.5, 2, 3, 7.4254283, 29, 56.864608, 300, 1e4, 1e5]
out["t_upper_tail"] = [
    [t, df, stats.t.sf(t, df)] for df in dfs for t in (-3.0, 0.0, 1e-6, 0.385578, 2.0, 6.5, 40.0)
]
out["t_upper_quantile"] = [
    [p, df, stats.t.isf(p, df)] for df in dfs for p in (0.7, 0.49, 0.1, 0.025, 0.005, 1e-6, 1e-12)
]
out["normal_upper_quantile"] = [
    [p, stats.norm.isf(p)] for p in (0.999, 0.7, 0.5, 0.49, 0.2, 0.1, 0.025, 1e-3, 1e-9, 1e-40)
]
out["normal_cdf"] = [[z, stats.norm.cdf(z)] for z in (-30.0, -6.0, -1.96, -0.84162123, -0.1, 0.0, 0.7, 5.0)]

# Summaries, ranks, quantiles, outliers ---------------------------------------------------------
out["summary"] = [
    {
        "x": x.tolist(), "mean": x.mean(), "sd": x.std(ddof=1), "median": np.median(x),
        "mad": stats.median_abs_deviation(x), "ranks": stats.rankdata(x).tolist(),
        "quantiles": [[p, float(np.quantile(x, p))] for p in (0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 1.0)],
    }
    for pair in PAIRS[:7] for x in pair
]


def order_statistics(n, p, alpha):
    below = [l for l in range(1, n + 1) if stats.binom.cdf(l - 1, n, p) <= alpha / 2]
    above = [u for u in range(1, n + 1) if stats.binom.sf(u - 1, n, p) <= alpha / 2]
    low, high = (max(below) if below else None), (min(above) if above else None)
    upto = 1.0 if high is None else stats.binom.cdf(high - 1, n, p)
    under = 0.0 if low is None else stats.binom.cdf(low - 1, n, p)
    return [n, p, 1 - alpha, low, high, upto - under]


out["quantile_ranks"] = [
    order_statistics(n, p, alpha)
    for n, p in [(10, .5), (20, .5), (30, .5), (30, .9), (100, .9), (100, .99), (1000, .99),
                 (1000, .999), (10000, .999), (5, .5), (1, .5), (40, .1), (2000, .01)]
    for alpha in (.05, .01)
]


# Location ---------------------------------------------------------------------------------------
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


def blocked(sizes):
    blocks = []
    for n, m in sizes:
        level = rng.normal(100, 5)
        blocks.append((rng.normal(level, 1, n), rng.normal(level + 0.8, 2, m)))
    return blocks


in_threes = [(A[i:i + 3], B[i:i + 3]) for i in range(0, 30, 3)]
out["location"] = [
    stratified(blocks, alpha, shift)
    for blocks in [[(A, B)], in_threes, blocked([(4, 4)]), blocked([(3, 3)]), blocked([(1, 1)] * 9),
                   blocked([(2, 5), (3, 3), (1, 4), (7, 2)]), blocked([(20, 25), (30, 10)])]
    for alpha in (.05, .01) for shift in (False, True)
]
out["mann_whitney_asymptotic"] = [
    {"a": a.tolist(), "b": b.tolist(), **{
        side: float(stats.mannwhitneyu(b, a, method="asymptotic", alternative=side).pvalue)
        for side in ("two-sided", "less", "greater")}}
    for a, b in [
        (rng.integers(0, 60, 500).astype(float), rng.integers(2, 62, 450).astype(float)),
        (rng.normal(0, 1, 400), rng.normal(0.2, 1, 300)),
    ]
]


def tied_by_enumeration(blocks):
    """p-values with ties by trying every labelling within blocks."""
    def doubled_u(a, b):
        return int(2 * (b[:, None] > a).sum() + (b[:, None] == a).sum())
    law = {0: 1.0}
    for a, b in blocks:
        pooled, m = np.concatenate([a, b]), len(b)
        values = []
        for chosen in itertools.combinations(range(len(pooled)), m):
            mask = np.zeros(len(pooled), bool)
            mask[list(chosen)] = True
            values.append(doubled_u(pooled[~mask], pooled[mask]))
        new = {}
        for s, p in law.items():
            for v in values:
                new[s + v] = new.get(s + v, 0) + p / len(values)
        law = new
    u = sum(doubled_u(a, b) for a, b in blocks)
    middle = sum(len(a) * len(b) for a, b in blocks)
    return {
        "a": [a.tolist() for a, _ in blocks], "b": [b.tolist() for _, b in blocks], "u": u / 2,
        "less": sum(p for s, p in law.items() if s <= u),
        "greater": sum(p for s, p in law.items() if s >= u),
        "two-sided": sum(p for s, p in law.items() if abs(s - middle) >= abs(u - middle)),
    }


def coarse(sizes, levels):
    return [(rng.integers(5, 5 + levels, n).astype(float), rng.integers(6, 6 + levels, m).astype(float))
            for n, m in sizes]


out["tied"] = [
    tied_by_enumeration(blocks)
    for blocks in [[(IGUANA, CHAMELEON)], [(CHAMELEON, IGUANA)], coarse([(3, 3)] * 4, 4),
                   coarse([(2, 5), (6, 3), (1, 1), (4, 4)], 3), coarse([(5, 2), (3, 3)], 9),
                   [(np.array([5.0, 5.0]), np.array([5.0, 5.0]))]]
]

# Means ------------------------------------------------------------------------------------------


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


out["means"] = [
    {
        "a": a.tolist(), "b": b.tolist(), "confidence": c,
        "student": t_result(stats.ttest_ind(b, a), c),
        "welch": t_result(stats.ttest_ind(b, a, equal_var=False), c),
        "logs": t_result(stats.ttest_ind(np.log(b), np.log(a), equal_var=False), c)
        if min(*a, *b) > 0 else None,
        "fieller": fieller(a, b, c),
    }
    for a, b in PAIRS for c in (.95, .99)
]


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


out["blocked"] = [
    {"a": [a.tolist() for a, _ in blocks], "b": [b.tolist() for _, b in blocks],
     "additive": additive(blocks), "welch": weighted(blocks)}
    for blocks in [in_threes, blocked([(3, 3)] * 6), blocked([(2, 5), (4, 1), (1, 3), (6, 6)])]
]

# Brunner-Munzel ---------------------------------------------------------------------------------
out["brunner_munzel"] = []
for a, b in PAIRS:
    r = stats.brunnermunzel(a, b)
    if np.isfinite(r.statistic):
        out["brunner_munzel"].append(
            {"a": a.tolist(), "b": b.tolist(), "statistic": r.statistic, "p": r.pvalue})


def brunner_munzel_exact(a, b):
    def size(x, y):
        with np.errstate(all="ignore"):
            w = stats.brunnermunzel(x, y).statistic
        return 0.0 if np.isnan(w) else abs(w)
    pooled, observed = np.concatenate([a, b]), size(a, b)
    extreme = tried = 0
    for chosen in itertools.combinations(range(len(pooled)), len(b)):
        mask = np.zeros(len(pooled), bool)
        mask[list(chosen)] = True
        tried += 1
        extreme += size(pooled[~mask], pooled[mask]) >= observed * (1 - 1e-9)
    return {"a": a.tolist(), "b": b.tolist(), "extreme": int(extreme), "tried": tried}


out["brunner_munzel_exact"] = [
    brunner_munzel_exact(a, b)
    for a, b in [(IGUANA, CHAMELEON), (rng.normal(0, 1, 4), rng.normal(1, 3, 6)),
                 (rng.integers(0, 4, 5).astype(float), rng.integers(1, 5, 4).astype(float)),
                 (np.array([1., 2, 3]), np.array([4., 5, 6, 7]))]
]

# Proportions ------------------------------------------------------------------------------------
def boschloo(x1, n1, x2, n2):
    """Both one-sided suprema by a dense grid and local refinement."""
    i, j = np.arange(n1 + 1)[:, None], np.arange(n2 + 1)[None, :]
    fisher = {"less": stats.hypergeom.cdf(i, n1 + n2, i + j, n1),
              "greater": stats.hypergeom.sf(i - 1, n1 + n2, i + j, n1)}
    p_values = []
    for f in fisher.values():
        region = f <= f[x1, x2] * (1 + 1e-9)

        def minus(pi):
            return -(stats.binom.pmf(i, n1, pi) * stats.binom.pmf(j, n2, pi) * region).sum()
        grid = np.linspace(1e-4, 1 - 1e-4, 2001)
        values = np.array([minus(pi) for pi in grid])
        best = values.min()
        for t in np.flatnonzero(values < 0.98 * best):
            lo, hi = max(grid[t] - 1e-3, 1e-9), min(grid[t] + 1e-3, 1 - 1e-9)
            r = optimize.minimize_scalar(minus, bounds=(lo, hi), method="bounded",
                                         options={"xatol": 1e-10})
            best = min(best, r.fun)
        p_values.append(-best)
    return min(1.0, 2 * min(p_values))


def wilson(k, n, c):
    ci = stats.binomtest(k, n).proportion_ci(c, method="wilson")
    return [ci.low, ci.high]


out["proportions"] = [
    {"a": [x1, n1], "b": [x2, n2],
     "fisher": stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]])[1],
     "boschloo": boschloo(x1, n1, x2, n2),
     "wilson": [[c, *wilson(x1, n1, c), *wilson(x2, n2, c)] for c in (.95, .99)]}
    for x1, n1, x2, n2 in [(4, 30, 5, 30), (4, 30, 12, 30), (0, 30, 6, 30), (30, 30, 29, 30), (1, 2, 0, 3),
                           (0, 5, 5, 5), (3, 17, 20, 41), (12, 80, 3, 40), (0, 10, 0, 12)]
]

# Equivalence, multiplicity, planning --------------------------------------------------------------
Y1 = np.array([100.1, 99.8, 100.4, 100.0, 99.7, 100.2, 99.9, 100.3, 100.1, 99.6])
Y2 = np.array([100.2, 100.0, 99.9, 100.5, 99.8, 100.1, 100.3, 99.7, 100.2, 100.4])


def tost(a, b, margin, equal_var):
    low = stats.ttest_ind(b + margin, a, equal_var=equal_var, alternative="greater").pvalue
    high = stats.ttest_ind(b - margin, a, equal_var=equal_var, alternative="less").pvalue
    ci = stats.ttest_ind(b, a, equal_var=equal_var).confidence_interval(.9)
    return {"a": a.tolist(), "b": b.tolist(), "margin": margin, "pooled": equal_var,
            "p_lower": low, "p_upper": high, "low": ci.low, "high": ci.high}


out["tost"] = [tost(a, b, margin, ev)
               for a, b, margin in [(Y1, Y2, .01 * Y1.mean()), (*PAIRS[2], 3.0), (*PAIRS[7], 0.5)]
               for ev in (True, False)]

p = rng.uniform(0, 1, 30)**3
out["multiplicity"] = {"p": p.tolist(), "bh": stats.false_discovery_control(p).tolist()}


def power(n, m, d, confidence):
    t = stats.t.isf((1 - confidence) / 2, n + m - 2)
    return float(stats.nct.sf(t, n + m - 2, d / np.sqrt(1 / n + 1 / m)))


out["power"] = [[n, m, d, c, power(n, m, d, c)]
                for n, m in [(2, 1), (2, 2), (3, 3), (5, 5), (5, 9), (30, 30), (100, 40)]
                for d in (.2, .8, 2.0) for c in (.95, .99)]

# Permutation and bootstrap ------------------------------------------------------------------------


def permutation(a, b, name):
    """SciPy's two-sided p-value doubles one tail; the size of the difference asks the other way."""
    of = getattr(np, name)
    r = stats.permutation_test(
        (a, b), lambda x, y, axis: np.abs(of(y, axis=axis) - of(x, axis=axis)),
        vectorized=True, n_resamples=np.inf, alternative="greater")
    return {"a": a.tolist(), "b": b.tolist(), "statistic": name, "p": r.pvalue,
            "tried": len(r.null_distribution)}


out["permutation"] = [
    permutation(a, b, name)
    for a, b in [(IGUANA, CHAMELEON), (PAIRS[6][0], PAIRS[6][1]), (PAIRS[2][0], PAIRS[2][1]),
                 (1e6 + rng.normal(0, 1, 5), 1e6 + rng.normal(1, 3, 7)),
                 (rng.integers(0, 5, 6).astype(float), rng.integers(1, 6, 6).astype(float))]
    for name in ("mean", "median")
]


class Resamples:
    """What scipy.stats.bootstrap needs to know of resamples that it did not draw."""

    def __init__(self, values):
        self.bootstrap_distribution = values


def bootstrap(x, name, confidence):
    of = getattr(np, name)
    everything = of(x[np.array(list(itertools.product(range(len(x)), repeat=len(x))))], axis=1)
    found = {
        method: stats.bootstrap(
            (x,), of, n_resamples=0, vectorized=True, method=method, confidence_level=confidence,
            bootstrap_result=Resamples(everything)).confidence_interval
        for method in ("percentile", "BCa")}
    return {"x": x.tolist(), "statistic": name, "confidence": confidence,
            "percentile": list(found["percentile"]), "bca": list(found["BCa"])}


# Whole numbers, whose means come out the same in any order, since SciPy compares them exactly.
out["bootstrap"] = [
    bootstrap(x, name, confidence)
    for x in [np.array([10.0, 11, 12, 14, 15, 21]), IGUANA, CHAMELEON, np.array([1.0, 2, 8, 64])]
    for name in ("mean", "median") for confidence in (.95, .8)
    if not (name == "median" and len(x) == 4)
]

# Nested values --------------------------------------------------------------------------------------


def nested(shape):
    y = 100 + rng.normal(0, 1, shape)
    for level in range(1, len(shape)):
        y = y + rng.normal(0, .7, shape[:level] + (1,) * (len(shape) - level))
    s, means = [], y
    while means.ndim:
        s.append(float(means.var(axis=-1, ddof=1).mean()))
        means = means.mean(axis=-1)
    half_width = stats.t.isf(.025, shape[0] - 1) * np.sqrt(s[-1] / shape[0])
    f = stats.f_oneway(*y).statistic if y.ndim == 2 else None
    return {"values": y.ravel().tolist(), "repetitions": list(shape), "mean": y.mean(),
            "s": s[::-1], "half_width": half_width, "f": f}


out["nested"] = [nested(shape) for shape in [(7,), (5, 4), (3, 10), (4, 3, 5), (3, 2, 4, 2)]]

# Values in their order ------------------------------------------------------------------------------


def serial(y):
    n, d = len(y), y - y.mean()
    lags = min(5, n - 1)
    r = np.array([(d[k:] * d[:n - k]).sum() for k in range(1, lags + 1)]) / (d * d).sum()
    q = n * (n + 2) * (r**2 / (n - np.arange(1, lags + 1))).sum()
    tau = stats.kendalltau(np.arange(n), y, method="asymptotic")
    return {"y": y.tolist(), "r": r.tolist(), "q": q, "q_p": stats.chi2.sf(q, lags),
            "ratio": (np.diff(y)**2).sum() / (d * d).sum(),
            "tau": tau.statistic, "tau_p": tau.pvalue, "slope": stats.theilslopes(y).slope}


out["serial"] = [
    serial(y)
    for y in [A, B, IGUANA, rng.normal(0, 1, 40).cumsum(), rng.integers(0, 6, 60).astype(float),
              np.arange(25.0)**1.5 + rng.normal(0, 9, 25), rng.normal(1e6, 1, 200),
              np.array([3.0, 1, 2])]
]

# Harrell-Davis --------------------------------------------------------------------------------------
out["harrell_davis"] = [
    {"x": x.tolist(), "quantiles": [
        [p, float(mstats.hdquantiles(x, [p])[0])] for p in (.01, .1, .25, .5, .75, .9, .99)]}
    for x in [A, B, IGUANA, CHAMELEON, PAIRS[3][0], PAIRS[4][0], PAIRS[5][0], PAIRS[7][0],
              rng.lognormal(0, 1, 3000)]
]

# Dip ------------------------------------------------------------------------------------------------


def dip(x):
    """The definition as a linear programme for each place of the mode: the continuous function
    that is convex before it, concave behind it, and nearest to the sample's."""
    v, counts = np.unique(x, return_counts=True)
    upto = np.cumsum(counts) / len(x)
    below = upto - counts / len(x)
    k, best = len(v), 1.0
    v = (v - v[0]) / (v[-1] - v[0])
    # Unknowns: the function at each value, and the distance.
    common, bounds = [], []
    for i in range(k):
        row = np.zeros(k + 1)
        row[i], row[k] = -1, -1
        common.append(row)
        bounds.append(-upto[i])
        row = np.zeros(k + 1)
        row[i], row[k] = 1, -1
        common.append(row)
        bounds.append(below[i])
        if i + 1 < k:
            row = np.zeros(k + 1)
            row[i], row[i + 1] = 1, -1
            common.append(row)
            bounds.append(0.0)
    for mode in range(k):
        rows = []
        for i in range(1, k - 1):
            if i != mode:
                left, right = 1 / (v[i] - v[i - 1]), 1 / (v[i + 1] - v[i])
                row = np.zeros(k + 1)
                row[i - 1:i + 2] = np.array([-left, left + right, -right]) / max(left, right)
                rows.append(row if i < mode else -row)
        r = optimize.linprog([0] * k + [1], A_ub=np.array(common + rows),
                             b_ub=bounds + [0] * len(rows), bounds=[(0, 1)] * (k + 1))
        best = min(best, r.fun) if r.success else best
    return {"x": x.tolist(), "dip": best}


out["dip"] = [
    dip(x)
    for x in [A, B, IGUANA, CHAMELEON]
    + [rng.normal(0, 1, n) for n in (2, 3, 5, 12, 20)]
    + [rng.lognormal(0, 2, n) for n in (8, 15)]
    + [np.concatenate([rng.normal(0, 1, n), rng.normal(6, 1, n)]) for n in (5, 12)]
    + [rng.integers(0, levels, 14).astype(float) for levels in (2, 3, 5, 9, 20)]
]

# Looking while measuring ------------------------------------------------------------------------------
out["signs"] = [[t, s, float(np.exp(t * np.log(2) + special.betaln(1 + s, 1 + t - s)))]
                for t, s in [(1, 0), (8, 8), (12, 11), (20, 16), (30, 25), (100, 50), (1500, 900)]]


def mixture(n, mean, sd, mixing_sd):
    """The likelihood ratio of each true mean, averaged over the means to bet on."""
    def integrand(z):
        theta = z * mixing_sd
        return stats.norm.pdf(z) * np.exp((n * mean * theta - n * theta**2 / 2) / sd**2)
    return [n, mean, sd, mixing_sd,
            integrate.quad(integrand, -12, 12, epsabs=0, epsrel=1e-12, limit=500)[0]]


out["normal_mixture"] = [mixture(*row) for row in [(1, .5, 1, 1), (2, .65, 1, 1), (5, -.62, 1, 1), (10, .3, 2, .5),
                                                    (30, 0, .1, .2), (7, -1.5, 3, .1)]]


def never_passed(bounds, steps=3000):
    """Density of the sum on a grid, step by step, by Simpson's rule."""
    grid, mass = np.array([0.0]), np.array([1.0])
    for bound in bounds:
        new = np.linspace(-bound, bound, steps + 1)
        density = stats.norm.pdf(new[:, None] - grid) @ mass
        simpson = np.tile([2.0, 4.0], steps // 2 + 1)[:steps + 1]
        simpson[[0, -1]] = 1
        grid, mass = new, density * simpson * (2 * bound / steps / 3)
    return mass.sum()


def looks(k, confidence):
    number = np.arange(1, k + 1)
    found = [
        optimize.brentq(lambda c: never_passed(c * shape) - confidence, 1, 6, xtol=1e-12)
        for shape in (np.sqrt(number), np.full(k, np.sqrt(k)))]
    return [k, confidence, *found]


out["looks"] = [looks(k, c) for k, c in [(1, .95), (2, .95), (3, .95), (5, .95), (10, .95), (4, .99), (6, .8)]]


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


# Its own numbers: those of the other methods stay what they are.
rng = np.random.default_rng(11)
out["rank_process"] = [
    rank_process([(A[i:i + 3], B[i:i + 3]) for i in range(0, 30, 3)]),
    rank_process([(rng.normal(100, 1, 3), rng.normal(102, 1, 3)) for _ in range(10)]),
    rank_process([(rng.normal(100, .5, 3), rng.normal(100, 5, 3)) for _ in range(20)]),
    rank_process([(rng.normal(100, .2, 5), rng.normal(100, 5, 5)) for _ in range(12)], .8),
    rank_process([(rng.normal(100, 1, n), rng.normal(98, 2, m)) for n, m in [(3, 3), (2, 3), (1, 1), (5, 4), (3, 2)]], .9),
    rank_process([(rng.integers(50, 56, 3) * 1.0, rng.integers(52, 58, 3) * 1.0) for _ in range(9)]),
]

with open("vectors.json", "w") as f:
    json.dump(out, f, indent=1, default=float, allow_nan=False)
    f.write("\n")
