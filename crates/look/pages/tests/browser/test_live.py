"""An experiment that is watched while it is measured, to its end."""

import tempfile
import time
import unittest

from accessibility import faults
from browser import PageTest, point_at_plots
from laboratory import PATIENCE, Laboratory, Server, measuring
from screenshots import take

DONE = "() => document.querySelector('progress')?.value"
# Marks text, as who copies it does, and returns what the page says as soon as it hears of it.
MARK = """() => new Promise((said) => {
    const says = () => said(document.querySelector("nav [role=status]").textContent);
    document.addEventListener("selectionchange", says, { once: true });
    getSelection().selectAllChildren(document.querySelector("h1"));
})"""
WAITS = "waits while text is marked"
# Milliseconds after which the page is asked for again.
PERIOD = 3000
POINTS = "() => document.querySelectorAll('[data-live] figure:first-of-type path:is(.disc, .strokes, .disc > *, .strokes > *)').length"


class Live(PageTest):
    def setUp(self):
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="perflab-pages-")
        self.addCleanup(directory.cleanup)
        self.laboratory = Laboratory(directory.name)
        self.start_server()
        self.addCleanup(lambda: self.server.stop())

    def start_server(self, port=0):
        self.server = Server(self.laboratory, port)

    def find(self):
        """Opens the experiment from the list, as soon as it is there."""
        end = time.monotonic() + PATIENCE
        page = self.open(self.server.first)
        while page.get_by_text("running").count() == 0:
            self.assertLess(time.monotonic(), end, "not in the list")
            time.sleep(0.2)
            page.reload()
        page.get_by_role("link", name="sleep").click()
        return page

    def until_more(self, page, what):
        """Waits, without touching the page, until there is more than now of what a script counts."""
        before = page.evaluate(what)
        page.wait_for_function(f"before => ({what})() > before", arg=before)

    def assert_stays(self, page):
        """Where the keyboard is and how a table is sorted outlast what comes in."""
        header = page.locator("th", has_text="mean").first
        header.get_by_role("button").click()
        self.until_more(page, DONE)
        self.assertEqual(header.get_attribute("aria-sort"), "ascending")
        self.assertTrue(header.get_by_role("button").evaluate("button => button === document.activeElement"))

    def assert_waits(self, page, hold, release, said=""):
        """The page stays as it is from one action to the other."""
        hold()
        # What was asked for before is answered, or is not looked at any more.
        page.wait_for_timeout(500)
        before = page.evaluate(DONE)
        page.wait_for_timeout(2 * PERIOD)
        self.assertEqual(page.evaluate(DONE), before)
        self.assertEqual(page.locator("nav [role=status]").inner_text(), said)
        release()
        page.locator("nav [role=status]:empty").wait_for(state="attached")
        self.until_more(page, DONE)

    def lose_and_find_the_server(self, page):
        status = page.locator("[data-live] [role=status]")
        self.assertNotIn("does not answer", status.inner_text())
        self.is_server_away = True
        self.server.stop()
        page.get_by_text("The server does not answer").wait_for()
        self.start_server(self.server.port)
        page.get_by_text("The server does not answer").wait_for(state="hidden")
        self.is_server_away = False

    def test_to_its_end(self):
        with measuring(self.laboratory) as finish:
            page = self.find()
            page.evaluate("() => { window.isAsItWas = true; }")
            self.until_more(page, DONE)
            page.get_by_text("the interval as it shrinks").first.wait_for()
            self.until_more(page, POINTS)
            self.assertRegex(page.locator("[data-live]").inner_text(), r"\d+ of 600 runs, about \d+ (s|min) left")
            take(page, "live")
            self.assert_stays(page)
            pause = page.get_by_role("button", name="Pause")
            self.assert_waits(page, pause.click, pause.click)
            self.assert_waits(page, lambda: self.assertEqual(page.evaluate(MARK), WAITS),
                              lambda: page.evaluate("getSelection().empty()"), said=WAITS)
            self.lose_and_find_the_server(page)
            self.until_more(page, DONE)
            self.assertTrue(page.evaluate("() => window.isAsItWas"), "nobody loaded it again")
            self.assertEqual(faults(page), [])
            self.assertTrue(page.locator("[data-live]").is_visible(), "it is measured all the time")
            finish()
            page.locator("[data-live]").wait_for(state="detached")
            # It is not there as soon as the page is loaded again: scripts come last.
            page.wait_for_load_state()
        self.assertIn("short against long, wall: ", page.locator(".answer").first.inner_text())
        self.assertGreaterEqual(point_at_plots(page), 1)
        self.assertIn("600 runs of 600 planned", page.locator("main").inner_text())


if __name__ == "__main__":
    unittest.main()
