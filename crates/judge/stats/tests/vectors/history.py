"""Reference results for changes of a history, in plain Python and NumPy.

Run in this directory: python3 history.py  (writes history.json; NumPy 2.4; half an hour)

series: the largest rank CUSUM over all seeded intervals, the autocorrelation of ranks within the
segments given, and the changes at a given threshold: narrowest over threshold first, then each one
between its neighbours; and their places, by pairs of values that differ by half the step. Written from
the description in docs/statistics/changes.md: ranks by counting, sums by plain loops.
groups: the same of values that share noise by groups. What they share is taken out with the inverse root of the
covariance matrix, by its eigenvalues.
tails: how often the largest CUSUM of random orders reaches a statistic, counted. The table of the
library was made by importance sampling, in another language with another generator.
"""

import json
import math

import numpy as np

rng = np.random.default_rng(20261126)


def layers(n):
    out = []
    k = 0
    while True:
        length = n / 2 ** (k // 2) * (math.sqrt(0.5) if k % 2 else 1.0)
        if length < 8:
            return out
        count = 2 * math.ceil(n / length) - 1
        if count == 1:
            out.append([(0, n)])
        else:
            step = (n - length) / (count - 1)
            out.append([(math.floor(i * step), min(n, math.ceil(i * step + length))) for i in range(count)])
        k += 1


def ranks(values):
    return [sum(v < w for v in values) + (sum(v == w for v in values) + 1) / 2 for w in values]


def cusums(values):
    """The statistic in front of each value but the first."""
    n = len(values)
    r = ranks(values)
    mean = (n + 1) / 2
    untied = n * (n * n - 1) / 12
    squares = max(sum((x - mean) ** 2 for x in r), 0.75 * untied)
    out = []
    for k in range(1, n):
        away = abs(sum(r[:k]) - k * mean)
        out.append(away / math.sqrt(k * (n - k) * squares / (n * (n - 1))))
    return out


SHARED = 2.0


def freed(values, groups, cut=None):
    """Twice the ranks without what groups share, in steps of 1 / 1024; with a cut, around the means before and behind it."""
    return freed_scores([2 * x - len(values) - 1 for x in ranks(values)], groups, cut)


def freed_scores(scores, groups, cut=None):
    r = np.array(scores)
    level = np.zeros(len(r))
    if cut is not None:
        level[:cut], level[cut:] = r[:cut].mean(), r[cut:].mean()
    covariance = np.array([[SHARED * (a == b) for b in groups] for a in groups]) + np.eye(len(r))
    size, axes = np.linalg.eigh(covariance)
    root = axes @ np.diag(size ** -0.5) @ axes.T
    z = level + root @ (r - level)
    return np.round(1024 * (z - z.mean()))


def cusums_of_groups(values, groups, cut):
    n = len(values)
    z = freed(values, groups, cut)
    r = [2 * x - n - 1 for x in ranks(values)]
    own = sum(x * x for x in r)
    caution = max(own, 0.75 * n * (n * n - 1) / 3) / own if own else 1.0
    squares = sum(x * x for x in z) * caution
    if squares == 0:
        return [0.0] * (n - 1)
    return [abs(sum(z[:k])) / math.sqrt(k * (n - k) * squares / (n * (n - 1))) for k in range(1, n)]


def peak(values, start, end, groups=None, cut=None):
    part = values[start:end]
    found = cusums_of_groups(part, groups[start:end], cut) if groups else cusums(part)
    top = max(found)
    if top < 1e-9:
        return None
    place = start + 1 + next(i for i, c in enumerate(found) if c > top - 1e-9)
    return (start, end, place, top)


def peaks(values, groups=None):
    all_of = [peak(values, *interval, groups) for layer in layers(len(values)) for interval in layer]
    return [p for p in all_of if p]


def highest(values, bar, groups=None):
    return sorted((p for p in peaks(values, groups) if p[3] >= bar), key=lambda p: (p[1] - p[0], -p[3]))


def evidence(places, over):
    out = []
    for i, place in enumerate(places):
        left = places[i - 1] if i else -1
        right = places[i + 1] if i + 1 < len(places) else math.inf
        # No other place in the inside of the interval.
        own = [p for p in over if p[0] < place < p[1] and left <= p[0] and p[1] <= right]
        out.append(max(own, key=lambda p: p[3]) if own else None)
    return out


def changes(values, bar, groups=None):
    n = len(values)
    over = highest(values, bar, groups)
    places = []
    for _ in range(20):
        before = list(places)
        for start, end, place, _top in over:
            if not any(start < other < end for other in places):
                places = sorted([*places, place])
        own = evidence(places, over)
        for i, found in enumerate(own):
            if found is None:
                continue
            left = places[i - 1] if i else 0
            right = places[i + 1] if i + 1 < len(places) else n
            whole = peak(values, left, right, groups, places[i] - left)
            inside = whole and found[0] < whole[2] < found[1]
            places[i] = whole[2] if inside else found[2]
        while True:
            own = evidence(places, over)
            weak = [i for i, found in enumerate(own) if found is None]
            if not weak:
                break
            def step(i):
                left = places[i - 1] if i else 0
                right = places[i + 1] if i + 1 < len(places) else n
                top = peak(values, left, right, groups)
                return top[3] if top else 0.0
            del places[min(weak, key=step)]
        if places == before:
            break
    return [[place, found[3]] for place, found in zip(places, evidence(places, over))]


def pairs(values, least):
    """Of each value, twice how many others it is above by `least` or more, less how many it is below; exactly that: half."""
    return [sum((v < w - least) + (v <= w - least) - (v > w + least) - (v >= w + least) for v in values) for w in values]


def settled(values, bar, places, groups=None):
    n = len(values)
    own = evidence(places, highest(values, bar, groups))
    places = list(places)
    for i, found in enumerate(own):
        left = places[i - 1] if i else 0
        right = places[i + 1] if i + 1 < len(places) else n
        part, m = values[left:right], right - left
        for _ in range(20):
            cut = places[i] - left
            least = 0.5 * abs(float(np.median(part[:cut]) - np.median(part[cut:])))
            score = pairs(part, least)
            if groups:
                score = freed_scores(score, groups[left:right], cut)
            size = [abs(sum(score[:k])) / math.sqrt(k * (m - k)) for k in range(1, m)]
            top = left + 1 + next(k for k, s in enumerate(size) if s >= max(size) * (1 - 1e-12))
            if max(size) == 0 or not found[0] < top < found[1] or top == places[i]:
                break
            places[i] = top
    return places


def autocorrelation(values, places, groups=None):
    products = squares = 0.0
    cuts = [0, *places, len(values)]
    for start, end in zip(cuts, cuts[1:]):
        m = end - start
        part = values[start:end]
        z = [x / m for x in (freed(part, groups[start:end]) if groups else [2 * x - m - 1 for x in ranks(part)])]
        products += sum(a * b for a, b in zip(z, z[1:]))
        squares += sum(a * a for a in z)
    raw = products / squares if squares else 0.0
    lost = (1 + 3 * max(raw, 0.0)) * (len(places) + 1) / len(values)
    return min(max(raw + lost, -0.95), 0.95) if squares else 0.0


def noise(kind, n):
    if kind == "normal":
        return rng.normal(0, 1, n)
    if kind == "t3":
        return rng.standard_t(3, n)
    if kind == "slow":
        return rng.normal(0, 1, n) + 30 * (rng.random(n) < 0.1)
    if kind == "rounded":
        return np.round(rng.normal(0, 1, n))
    if kind == "ones":
        return (rng.random(n) < 0.3).astype(float)
    out, last = [], rng.normal()
    for z in rng.normal(0, 1, n):
        last = 0.3 * last + math.sqrt(1 - 0.09) * z
        out.append(last)
    return np.array(out)


def case(name, values, bar):
    values = [float(v) for v in values]
    places = changes(values, bar)
    return {"name": name, "values": values, "bar": bar, "strongest": max([p[3] for p in peaks(values)], default=0.0),
            "changes": places, "autocorrelation": autocorrelation(values, [p for p, _ in places]),
            "places": settled(values, bar, [p for p, _ in places])}


def grouped(name, values, groups, bar):
    n = len(values)
    if sum((2 * x - n - 1) ** 2 for x in ranks(values)) < 0.85 * n * (n * n - 1) / 3:
        # Many are equal: only the largest group counts, the last one of several.
        largest = max(sorted(set(groups), reverse=True), key=groups.count)
        some = [v for v, g in zip(values, groups) if g == largest]
        places = changes(some, bar)
        return {"name": name, "values": values, "groups": groups, "bar": bar,
                "strongest": max((p[3] for p in peaks(some)), default=0.0), "changes": places,
                "autocorrelation": autocorrelation(some, [p for p, _ in places]),
                "places": settled(some, bar, [p for p, _ in places])}
    places = changes(values, bar, groups)
    return {"name": name, "values": values, "groups": groups, "bar": bar,
            "strongest": max(p[3] for p in peaks(values, groups)), "changes": places,
            "autocorrelation": autocorrelation(values, [p for p, _ in places], groups),
            "places": settled(values, bar, [p for p, _ in places], groups)}


def shared(kind, sizes, steps, step_at_border):
    """Values of groups of these sizes, one behind the other or dealt out in turn."""
    groups = [index for index, size in enumerate(sizes) for _ in range(size)]
    if not step_at_border:
        groups = [groups[(7 * place) % len(groups)] for place in range(len(groups))]
    offsets = noise(kind, len(sizes))
    values = made(kind, len(groups), steps)
    return [round(v - float(offsets[g]), 3) for v, g in zip(values, groups)], groups


def made(kind, n, steps):
    values = noise(kind, n)
    for place, size in steps:
        values[place:] += size
    return [round(v, 3) for v in values]


def largest(x):
    best = np.zeros(len(x))
    for layer in layers(x.shape[1]):
        for start, end in layer:
            n = end - start
            away = x[:, start:end].argsort(axis=1).argsort(axis=1) - (n - 1) / 2
            k = np.arange(1, n)
            scale = np.sqrt(k * (n - k) * (n + 1) / 12)
            best = np.maximum(best, (np.abs(away.cumsum(axis=1)[:, :-1]) / scale).max(axis=1))
    return best


def tail(n, count, statistics):
    found = np.concatenate([largest(rng.random((2000, n))) for _ in range(count // 2000)])
    return [{"n": n, "statistic": t, "reached": int((found >= t).sum()), "of": len(found)} for t in statistics]


if __name__ == "__main__":
    fourteen = [.3, 2.4, 1.5, -.9, -.5, 99.7, 98.3, 99.1, 149, 149.7, 149.5, 149.1, 148.8, 150]
    twenty = [1.02, .95, .99, 1.00, 1.12, 1.00, 1.01, .98, 1.01, .96, .50, .51, .48, .48, .55, .50, .49, .51, .50, .49]
    eighteen = [10, 10.2, 9.9, 10.1, 10, 10.3, 9.8, 12.1, 12, 12.3, 11.9, 12.2, 11, 11.1, 10.9, 11.2, 11, 10.8]
    series = [case("otava 14", fourteen, 2.5), case("otava 14, lower bar", fourteen, 2.2),
              case("otava 20", twenty, 3.0), case("pelt 18", eighteen, 2.5), case("equal", [7.0] * 30, 2.0)]
    for kind in ("normal", "t3", "slow", "rounded", "ones", "ar"):
        for n, steps in ((31, []), (60, [(20, 2)]), (97, [(30, 2), (60, -2)]), (150, [(40, 1), (75, 3), (115, -2)])):
            series.append(case(f"{kind} {n} {steps}", made(kind, n, steps), 3.3 if n > 50 else 2.8))
    tails = []
    for n, count in ((12, 200_000), (20, 200_000), (50, 400_000), (100, 1_000_000), (150, 1_000_000), (300, 200_000),
                     (1000, 40_000)):
        grid = (1.9, 2.2, 2.5) if n == 12 else (2.5, 3.0, 3.3) if n == 20 else (3.0, 3.4, 3.8, 4.2, 4.6, 5.0)
        tails += tail(n, count, grid)
    rng = np.random.default_rng(20261128)
    groups = []
    for kind in ("normal", "slow", "rounded", "ones"):
        for sizes, steps in (([12] * 5, [(24, 4)]), ([4] * 15, [(30, 3)]), ([1, 9, 3, 12, 7, 2, 11, 5, 8], [(25, 5)]),
                             ([8] * 12, [(40, 3), (70, -4)])):
            for is_behind in (True, False):
                name = f"{kind} {sizes} {steps} {is_behind}"
                groups.append(grouped(name, *shared(kind, sizes, steps, is_behind), 2.6))
    rows = [f'"{name}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]"
            for name, cases in (("series", series), ("groups", groups), ("tails", tails))]
    with open("history.json", "w") as file:
        file.write("{" + ",\n".join(rows) + "}\n")
