"""Every kind of page: its address, and how many plots to interact with it has at least."""

from urllib.parse import urljoin

from history import past
from laboratory import folder, server

OF_A_RESULT = {
    "first": ("index.html", 3),
    "metric": ("metric-1.html", 2),
    "metric that is not asked for": ("metric-3.html", 1),
    "comparison": ("comparison-1-1.html", 3),
    "runs": ("runs.html", 0),
    "run": ("run-1.html", 0),
    "method": ("method.html", 0),
}


def below(first):
    return {kind: (urljoin(first, path), plots) for kind, (path, plots) in OF_A_RESULT.items()}


OF_A_HISTORY = {
    "history": ("index.html", 1),
    "metric of a history": ("metric-1.html", 1),
    "revisions": ("revisions.html", 0),
    "campaigns": ("campaigns.html", 0),
    "tests": ("tests.html", 0),
}


def of_history():
    first = past().result("past")
    return {kind: (urljoin(first, path), plots) for kind, (path, plots) in OF_A_HISTORY.items()} | {
        "list with a history": (past().first, 0),
    }


def in_folder():
    return below(folder())


def served():
    first = server().first
    return below(server().result("sort")) | {
        "comparison with deciles": (urljoin(server().result("sort-again"), "comparison-1-1.html"), 4),
        "charts": (urljoin(server().result("read"), "charts.html"), 1),
        "list": (first, 0),
        "pair": (f"{first}pair?a=sort&b=sort-again", 0),
    } | of_history()
