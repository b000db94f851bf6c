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


def draw(page):
    """Points at every plot, so that it is drawn to interact with; how many there are."""
    figures = page.locator("figure[data-figure]")
    count = figures.count()
    for index in range(count):
        drawn(figures.nth(index))
    page.evaluate("scrollTo(0, 0)")
    return count


def drawn(figure):
    """Points at a plot, and waits until it is there to interact with."""
    for x in (20, 40):
        # A mouse that is moved: where it comes to rest after scrolling is no sign.
        figure.hover(position={"x": x, "y": 60})
    plot = there(figure)
    # The mouse finds nothing outside of the window, and where points are depends on what was measured.
    plot.scroll_into_view_if_needed()
    return plot


def there(figure):
    """Waits until a plot is there to interact with."""
    figure.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
    return figure.locator(".js-plotly-plot")


def place(plot, trace, index):
    """Where a point of a plot is in the window."""
    return plot.evaluate("""(plot, [trace, index]) => {
        const { xaxis, yaxis } = plot._fullLayout;
        const { x, y } = plot.querySelector(".nsewdrag").getBoundingClientRect();
        const points = plot.data[trace];
        return [x + xaxis.d2p(points.x[index]), y + yaxis.d2p(points.y[index])];
    }""", [trace, index])


def point(plot, trace, index):
    """Points at a point of a plot; its label. Plotly looks for what is under the mouse at most every 50 ms, and a
    click is on what it found last: who clicks without pointing may miss."""
    plot.page.mouse.move(*place(plot, trace, index))
    label = plot.locator(".hoverlayer .hovertext")
    label.wait_for()
    return label


def click(plot, trace, index):
    """Follows a point of a plot to what is behind it."""
    point(plot, trace, index)
    with plot.page.expect_navigation():
        plot.page.mouse.click(*place(plot, trace, index))
