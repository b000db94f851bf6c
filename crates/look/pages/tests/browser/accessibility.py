"""What axe finds on a page, in the looks that a reader may choose, and whether it fits the window."""

import functools

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError

from browser import DESK, PATIENCE, PHONE

LOOKS = [("light", DESK), ("dark", DESK), ("dark", PHONE)]
WEIGHTY = ("serious", "critical")

# Styles are not asked for a second time, which pages from files may not.
OPTIONS = {"resultTypes": ["violations"], "preload": False}

FITS = "() => document.scrollingElement.scrollWidth <= innerWidth"
WIDER = "() => document.scrollingElement.scrollWidth - innerWidth"


@functools.cache
def axe():
    return Axe()


def weighty(page):
    for violation in axe().run(page, options=OPTIONS).response["violations"]:
        if violation["impact"] in WEIGHTY:
            for node in violation["nodes"]:
                yield f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"


def too_wide(page):
    try:
        # Plots follow the window after a moment.
        page.wait_for_function(FITS, timeout=PATIENCE)
    except TimeoutError:
        yield f"{page.evaluate(WIDER)} pixels wider than the window"


def faults(page):
    """Weighty faults in all looks."""
    found = []
    for scheme, size in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        found += [f"{scheme}, {size['width']} wide: {fault}" for fault in [*too_wide(page), *weighty(page)]]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)
    return found
