"""Reference numbers for bisection, in pure Python.

Run in this directory: python3 bisection.py  (writes bisection.json; takes about a minute)

normal: logarithms of the joint density of values with one point of the grid and normal noise, from their whole
covariance matrix by Cholesky's decomposition: the level, its wandering, the step and the builds are in that matrix.
mixed: the same with noise that is a mixture, exactly: the sum over all ways to choose a part for each value.
measured: posteriors over all hypotheses, each with all points of the grid and its own pass over all values: without
classes, without dropping or joining points, with vectors and matrices as lists.
outcomes: posteriors of runs that pass or fail, from the counts of each hypothesis.
"""

import itertools
import json
import math
import random

SCALES = [1, 3, 20, 500]
KINDS = [[0.985, 0.0105, 0.004, 0.0005], [0.79, 0.195, 0.0145, 0.0005],
         [0.86, 0.01, 0.12, 0.01], [0.64, 0.01, 0.33, 0.02]]
WANDER = [0, 0.1, 0.3, 1, 3]
BUILDS = [0.25, 0.5, 1, 2, 4, 8, 16]
STEPS = [(1.1, 0.25), (2.2, 0.7), (4.6, 1.6), (9.6, 3.2)]
STEPS = [(-m, s) for m, s in STEPS] + STEPS + [(0, 40), (0, 1e3), (0, 1e6)]

rng = random.Random(20260115)


def ln_normal(values, mean, covariance):
    """Logarithm of a multivariate normal density."""
    n = len(values)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = covariance[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(left) if i == j else left / lower[j][j]
    total = 0.0
    solved = []
    for i in range(n):
        solved.append((values[i] - mean[i] - sum(lower[i][k] * solved[k] for k in range(i))) / lower[i][i])
        total -= 0.5 * solved[i] ** 2 + math.log(lower[i][i]) + 0.5 * math.log(2 * math.pi)
    return total


def joint(point, rows):
    """Mean and covariance, without noise, of rows (block, is bad, build, value)."""
    mean = [point["level"] + (point["step"] if bad else 0) for _, bad, _, _ in rows]
    def shared(a, b):
        common = point["level_sd"] ** 2 + point["wander"] ** 2 * (1 + min(a[0], b[0]))
        common += point["step_sd"] ** 2 if a[1] and b[1] else 0
        return common + (point["between_builds"] ** 2 if a[2] == b[2] else 0)
    return mean, [[shared(a, b) for b in rows] for a in rows]


def with_noise(covariance, noise):
    return [[c + (noise[i] ** 2 if i == j else 0) for j, c in enumerate(row)] for i, row in enumerate(covariance)]


def points(tails, rows, step, sd):
    return {"sd": sd, "wander": 0.3 * sd, "between_builds": 0.8 * sd, "tails": tails, "step": step,
            "step_sd": 0.5 * sd, "level": 5.0, "level_sd": 3.0, "rows": rows}


def normal():
    for blocks in (1, 3):
        rows = [(block, bool(run % 2), run % 3, 5 + (run % 2) + rng.gauss(0, 0.7))
                for block in range(blocks) for run in range(5)]
        point = points([1, 0, 0, 0], rows, 1.1, 0.7)
        mean, covariance = joint(point, rows)
        values = [row[3] for row in rows]
        yield point | {"ln": ln_normal(values, mean, with_noise(covariance, [0.7] * len(rows)))}


def mixed():
    for outlier in (0, 3, 15, 60):
        rows = [(run // 3, bool(run % 2), run % 2, 5 + (run % 2) + rng.gauss(0, 0.7)) for run in range(6)]
        rows[4] = (*rows[4][:3], rows[4][3] + outlier)
        for tails in KINDS[1:3]:
            point = points(tails, rows, 1.1, 0.7)
            mean, covariance = joint(point, rows)
            values = [row[3] for row in rows]
            total = 0.0
            for parts in itertools.product(range(4), repeat=len(rows)):
                weight = math.prod(tails[part] for part in parts)
                noise = [0.7 * SCALES[part] for part in parts]
                total += weight * math.exp(ln_normal(values, mean, with_noise(covariance, noise)))
            yield point | {"ln": math.log(total)}


def follow(point, steps, build_sd, level, level_sd, blocks, bad):
    """Logarithm of the likelihood, value after value; what is known is a list of means and a matrix."""
    sd, wander, tails = point
    step, step_sd = steps
    names, mean = ["level", "step"], [level, step]
    known = [[level_sd ** 2, 0.0], [0.0, step_sd ** 2]]
    ln = 0.0
    for block in blocks:
        known[0][0] += wander ** 2
        for revision, build, value in block:
            has = {"level"} | ({"step"} if bad(revision) else set())
            if build_sd:
                name = (revision, build)
                if name not in names:
                    names.append(name)
                    mean.append(0.0)
                    for row in known:
                        row.append(0.0)
                    known.append([0.0] * len(known) + [build_sd ** 2])
                has.add(name)
            h = [1.0 if name in has else 0.0 for name in names]
            n = len(h)
            g = [sum(known[i][j] * h[j] for j in range(n)) for i in range(n)]
            spread = sum(g[i] * h[i] for i in range(n))
            off = value - sum(mean[i] * h[i] for i in range(n))
            variances = [spread + (sd * scale) ** 2 for scale in SCALES]
            parts = [w / math.sqrt(2 * math.pi * v) * math.exp(-off * off / 2 / v) for w, v in zip(tails, variances)]
            total = sum(parts)
            if total < 1e-300:
                return -math.inf
            ln += math.log(total)
            # Mean and variance of the mixture of what each part would make of it.
            moved = [(p / total, off / v, 1 / v) for p, v in zip(parts, variances)]
            shift = sum(p * m for p, m, _ in moved)
            shrink = sum(p * (s - (m - shift) ** 2) for p, m, s in moved)
            mean = [mean[i] + g[i] * shift for i in range(n)]
            known = [[known[i][j] - g[i] * g[j] * shrink for j in range(n)] for i in range(n)]
    return ln


def median(values):
    values = sorted(values)
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def measured(n, change, step, builds, most_steps):
    """A linear history of n revisions after the good one; the last is the bad end. Values are on the line."""
    no_change = 0.2
    def value(revision):
        return 3 + (step if revision >= change else 0) + rng.gauss(0, 0.01)
    blocks = [[(r, b, value(r)) for b in range(3) for r in (-1, n - 1)]]
    for probe in (n // 2, n // 4, n // 2):
        blocks.append([(r, 7, value(r)) for r in (-1, n - 1, probe)])
    bad_end = n - 1
    rank = lambda run: (run[0] not in (-1, bad_end), *run)
    blocks = [sorted(block, key=rank) for block in blocks]
    # Of each revision the values nearest to their median come first.
    def central_first(block):
        middle = {r: median([v for other, _, v in block if other == r]) for r, _, _ in block}
        order = list(dict.fromkeys(r for r, _, _ in block))
        return sorted(block, key=lambda run: (order.index(run[0]), abs(run[2] - middle[run[0]])))
    blocks = [central_first(block) for block in blocks]
    # The rough look at the ends.
    own = [[v for r, _, v in blocks[0] if r == end] for end in (-1, bad_end)]
    differences = [abs(a - b) for end in own for a, b in itertools.combinations(end, 2)]
    middle = max(median(differences) / 0.954, 1e-9)
    level = median(own[0])
    level_sd = 10 * max(abs(v - level) for end in own for v in end) + 100 * middle
    ln = {}
    for hypothesis in [None, *range(n)]:
        terms = []
        bad = (lambda r: False) if hypothesis is None else (lambda r: r >= hypothesis)
        steps = [(0.0, 0.0)] if hypothesis is None else STEPS
        for at in range(-11, 12):
            sd = middle * math.exp(0.15 * at)
            for between in (BUILDS if builds else [0.0]):
                unit = sd * math.sqrt(1 + between ** 2)
                for wander, tails in itertools.product(WANDER, KINDS):
                    for mean, mean_sd in steps:
                        terms.append(follow((sd, wander * sd, tails), (mean * unit, mean_sd * unit), between * sd,
                                            level, level_sd, blocks, bad) - math.log(len(steps)))
        most = max(terms)
        ln[hypothesis] = most + math.log(sum(math.exp(term - most) for term in terms))
    most = max(ln.values())
    mass = {h: (no_change if h is None else (1 - no_change) / n) * math.exp(l - most) for h, l in ln.items()}
    total = sum(mass.values())
    return {"revisions": n, "blocks": [[list(run) for run in block] for block in blocks], "builds": builds,
            "no_change": mass[None] / total, "posterior": [mass[i] / total for i in range(n)]}


def outcomes(parents, certain, runs):
    """A graph; the last revision is the bad end, -1 the good one. Runs are (revision, failed)."""
    n, no_change = len(parents), 0.2
    contains = []
    for revision, own in enumerate(parents):
        contains.append({revision}.union(*(contains[parent] for parent in own)))
    middles = [(k + 0.5) / 32 for k in range(32)]
    cubes = sum((1 - p) ** 3 for p in middles)
    of_good = {0.0: certain} | {p: (1 - certain) * (1 - p) ** 3 / cubes for p in middles}
    of_bad = {1.0: certain} | {q: (1 - certain) / 32 for q in middles}
    pairs = {(p, q): u * v for p, u in of_good.items() for q, v in of_bad.items() if q - p >= 0.17}
    alike = {p: (1 - certain) / 32 for p in middles} | {0.0: certain / 2, 1.0: certain / 2}
    mass = []
    for hypothesis in range(n):
        count = [[0, 0], [0, 0]]
        for revision, failed in runs:
            bad = revision >= 0 and hypothesis in contains[revision]
            count[bad][failed] += 1
        (s0, f0), (s1, f1) = count
        both = sum(w * p ** f0 * (1 - p) ** s0 * q ** f1 * (1 - q) ** s1 for (p, q), w in pairs.items())
        mass.append((1 - no_change) / n * both / sum(pairs.values()))
    failed = sum(f for _, f in runs)
    none = sum(w * p ** failed * (1 - p) ** (len(runs) - failed) for p, w in alike.items())
    mass.append(no_change * none)
    total = sum(mass)
    return {"parents": parents, "certain": certain, "runs": [[r, bool(f)] for r, f in runs],
            "no_change": mass[-1] / total, "posterior": [m / total for m in mass[:-1]]}


def graphs():
    for n, certain in ((1, 0.99), (5, 0.5), (9, 0.99), (12, 0.01)):
        parents = [[]] + [sorted(rng.sample(range(i), min(i, rng.choice([1, 1, 2])))) for i in range(1, n)]
        # What nothing contains is merged by the last.
        loose = set(range(n - 1)) - {p for own in parents for p in own}
        parents[-1] = sorted(set(parents[-1]) | loose)
        runs = [(-1, 0), (n - 1, 1)] + [(rng.randrange(-1, n), rng.randrange(2)) for _ in range(n)]
        yield outcomes(parents, certain, runs)


content = {
    "normal": list(normal()),
    "mixed": list(mixed()),
    "measured": [measured(6, 3, 0.02, False, None), measured(5, 1, 0.012, False, None), measured(4, 0, 0.0, False, None)],
    "outcomes": list(graphs()),
}
with open("bisection.json", "w") as f:
    json.dump(content, f, indent=1)
    f.write("\n")
