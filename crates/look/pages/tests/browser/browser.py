"""A real browser, and tests that hear every complaint of the pages in it."""

import atexit
import functools
import os
import unittest
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

# Milliseconds until something that must appear counts as missing. Machines may be busy.
PATIENCE = 120_000

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1200, "height": 800}


@functools.cache
def chromium():
    playwright = sync_playwright().start()
    # The sandbox of Chromium refuses to work for root.
    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=PATIENCE)

    def stop():
        started.close()
        playwright.stop()

    atexit.register(stop)
    return started


class PageTest(unittest.TestCase):
    """A test with pages. None of them may complain, or ask for anything from elsewhere."""

    def setUp(self):
        self.complaints = []
        # A test that takes the server away hears of it from the browser.
        self.is_server_away = False

    def tearDown(self):
        self.assertEqual(self.complaints, [])

    def open(self, url, **options):
        """A page in a window of its own."""
        options = {"viewport": DESK, **options}
        context = chromium().new_context(**options)
        self.addCleanup(context.close)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", self.said)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        own = url[:url.rindex("/") + 1] if url.startswith("file:") else urljoin(url, "/")
        context.on("request", lambda request: self.asked(request.url, own))
        context.on("requestfailed", self.failed)
        context.on("response", self.answered)
        page.goto(url)
        return page

    def said(self, message):
        if message.type in ("error", "warning") and not self.is_server_away:
            self.complaints.append(f"{message.type}: {message.text}")

    def asked(self, url, own):
        if urlsplit(url).scheme not in ("data", "blob") and not url.startswith(own):
            self.complaints.append(f"asked for {url}")

    def failed(self, request):
        # Who turns to another page ends what is under way, and who saves a file does not show it.
        if not self.is_server_away and request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.failure}: {request.url}")

    def answered(self, response):
        if response.status >= 400:
            self.complaints.append(f"{response.status}: {response.url}")


def point_at_plots(page):
    """Points at every plot, so that its script reads it; how many there are."""
    figures = page.locator("figure.plot")
    count = figures.count()
    for index in range(count):
        pointed_at(figures.nth(index))
    page.evaluate("scrollTo(0, 0)")
    return count


def pointed_at(figure):
    """Moves the mouse to a plot and in it, and waits until its script has read it."""
    for x in (20, 40):
        # A mouse that is moved: where it comes to rest after scrolling is no sign.
        figure.locator("svg").hover(position={"x": x, "y": 60})
    figure.locator(".current").wait_for(state="attached")
    return figure


def places(figure, kind):
    """Where the marks of a kind are in the window, from left to right: the middle of each."""
    return figure.locator(f"[data-marks={kind}]:not(.is-off)").evaluate_all("""layers => {
        layers[0].scrollIntoView({ block: "center" });
        const paths = layers.flatMap(layer => [...layer.querySelectorAll("path")])
            .filter(path => !path.matches(":is(.interval, .summary) .line"));
        const all = paths.flatMap(path => [...path.getAttribute("d").matchAll(/M(-?[\\d.]+) (-?[\\d.]+)/g)]);
        const matrix = layers[0].getScreenCTM();
        const seen = all.map(([, x, y]) => new DOMPoint(x, y).matrixTransform(matrix)).map(({ x, y }) => [x, y]);
        return seen.sort(([a], [b]) => a - b);
    }""")


def point(figure, kind, index):
    """Points at a mark of a plot; what the page says of it."""
    mouse = figure.page.mouse
    for away in (2, 0):
        x, y = places(figure, kind)[index]
        mouse.move(x + away, y)
    hint = figure.locator(".hint:not(:empty)")
    hint.wait_for()
    return hint


def click(figure, kind, index):
    """Follows a mark of a plot to what is behind it."""
    pointed_at(figure)
    with figure.page.expect_navigation():
        figure.page.mouse.click(*places(figure, kind)[index])
