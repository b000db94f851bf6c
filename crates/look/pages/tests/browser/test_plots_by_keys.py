"""Plots to interact with, by keyboard, by fingers, and as screen readers hear of them."""

import re
import unittest

from browser import PHONE, places, pointed_at
from laboratory import server
from test_plots import PlotTest


class Keyboard(PlotTest):
    def setUp(self):
        super().setUp()
        self.figure = self.open_plot()
        self.drawing = self.figure.locator(".drawing")
        # By Tab: what is clicked on gets no help for the keyboard.
        while not self.drawing.evaluate("drawing => drawing === document.activeElement"):
            self.page.keyboard.press("Tab")

    def press(self, *keys):
        """What the page says after these keys."""
        for key in keys:
            self.page.keyboard.press(key)
        return self.figure.locator(".hint").text_content()

    def run_after(self, *keys):
        return int(re.search(r"run (\d+)", self.press(*keys))[1])

    def test_what_is_said(self):
        self.assertEqual(self.drawing.get_attribute("role"), "application")
        self.assertTrue(self.drawing.get_attribute("aria-label"))
        described = self.drawing.get_attribute("aria-describedby")
        self.assertRegex(self.page.locator(f"#{described}").text_content(), r"\d+ values")
        hint = self.figure.locator(".hint")
        self.assertEqual(hint.get_attribute("role"), "status")
        self.assertIn("Arrow keys", hint.text_content())
        self.assertEqual(self.figure.locator("svg title").count(), 0, "every browser would show it beside the hint")

    def test_walk(self):
        first = self.run_after("ArrowRight")
        second = self.run_after("ArrowRight")
        self.assertGreater(second, first)
        self.assertEqual(self.run_after("ArrowLeft"), first)
        self.assertEqual(self.run_after("ArrowLeft"), first, "nothing is before the first")
        last = self.run_after("End")
        self.assertGreater(last, second)
        self.assertEqual(self.run_after("Home"), first)
        variant = self.press("Home").split(":")[0]
        self.assertNotEqual(self.press("ArrowDown").split(":")[0], variant)
        self.assertEqual(self.press("ArrowUp").split(":")[0], variant)

    def test_right_leads_through_all_marks(self):
        said = [self.press("ArrowRight") for _ in range(30)]
        self.assertEqual(len(set(said)), 24)
        self.assertEqual(said[-1], said[-2], "the last one stays")

    def test_zoom_and_back(self):
        before = self.ticks(self.figure)
        said = self.press("ArrowRight", "ArrowRight", "+", "+", "+")
        self.until_zoomed(self.figure)
        self.assertEqual(self.figure.locator(".hint").text_content(), said)
        # What is outside comes into sight.
        self.press("End")
        ring, frame = [self.figure.locator(name).bounding_box() for name in (".current", ".frame")]
        self.assertGreaterEqual(ring["x"] + ring["width"], frame["x"])
        self.assertLessEqual(ring["x"], frame["x"] + frame["width"])
        self.press("-", "Escape")
        self.until_zoomed(self.figure, False)
        self.assertEqual(self.ticks(self.figure), before)

    def test_follow(self):
        run = self.run_after("ArrowRight", "ArrowRight", "ArrowRight")
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")
        self.assertRegex(self.page.url, rf"run-{run}\.html$")

    def test_on_with_tab(self):
        self.press("ArrowRight")
        self.page.keyboard.press("Tab")
        self.assertEqual(self.page.evaluate("document.activeElement.classList[0]"), "legend")
        self.assertEqual(self.figure.locator(".hint").text_content(), "")

    def test_other_keys_are_the_browsers(self):
        self.page.keyboard.press("Control+s")
        self.page.keyboard.press("x")
        self.assertIn("Arrow keys", self.figure.locator(".hint").text_content())


class Rows(PlotTest):
    def test_walk(self):
        """Down leads from line to line where names are on the left."""
        figure = self.open_plot(path="index.html")
        figure.locator(".drawing").focus()
        said = []
        for _ in range(4):
            self.page.keyboard.press("ArrowDown")
            said.append(figure.locator(".hint").text_content())
        self.assertEqual(len(set(said)), 4, said)


class Fingers(PlotTest):
    def setUp(self):
        super().setUp()
        self.figure = self.open_plot(viewport=PHONE, is_mobile=True, has_touch=True)
        self.figure.scroll_into_view_if_needed()
        self.session = self.page.context.new_cdp_session(self.page)

    def touch(self, kind, *places):
        points = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def middle(self):
        box = self.figure.locator(".drawing").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def test_tap(self):
        before = self.page.url
        x, y = places(self.figure, "points")[3]
        self.page.touchscreen.tap(x, y)
        link = self.figure.locator(".hint a")
        link.wait_for()
        run = re.search(r"run (\d+)", self.figure.locator(".hint").text_content())[1]
        self.page.wait_for_timeout(600)
        self.assertEqual(self.page.url, before, "a tap points, and does not follow")
        with self.page.expect_navigation():
            link.tap()
        self.assertRegex(self.page.url, rf"run-{run}\.html$")

    def test_two_fingers(self):
        before = self.ticks(self.figure)
        x, y = self.middle()
        self.touch("touchStart", (x - 30, y - 20), (x + 30, y + 20))
        for step in range(1, 6):
            self.touch("touchMove", (x - 30 - 12 * step, y - 20 - 8 * step), (x + 30 + 12 * step, y + 20 + 8 * step))
        self.touch("touchEnd")
        self.until_zoomed(self.figure)
        self.assertNotEqual(self.ticks(self.figure), before)
        self.assertEqual(self.page.evaluate("visualViewport.scale"), 1, "the page itself is as large as before")
        self.figure.get_by_role("button", name="Show the whole plot").tap()
        self.until_zoomed(self.figure, False)
        self.assertEqual(self.ticks(self.figure), before)

    def test_two_taps(self):
        self.figure.get_by_role("button", name="Zoom in").tap()
        self.until_zoomed(self.figure)
        x, y = self.middle()
        for _ in range(2):
            self.page.touchscreen.tap(x, y)
        self.until_zoomed(self.figure, False)

    def test_one_finger_scrolls(self):
        before = self.page.evaluate("scrollY")
        x, y = self.middle()
        self.touch("touchStart", (x, y))
        for step in range(1, 11):
            self.touch("touchMove", (x, y - 15 * step))
        self.touch("touchEnd")
        self.page.wait_for_function("before => scrollY > before + 50", arg=before)
        self.until_zoomed(self.figure, False)

    def test_buttons_hide_nothing(self):
        tools, drawing = [self.figure.locator(name).bounding_box() for name in (".tools", ".drawing")]
        self.assertTrue(self.figure.locator(".tools").is_visible())
        self.assertGreaterEqual(tools["y"], drawing["y"] + drawing["height"])
        self.figure.get_by_role("button", name="Zoom in").tap()
        self.until_zoomed(self.figure)


class Still(PlotTest):
    def test_nothing_is_animated(self):
        """Neither for those who ask for less motion nor for others."""
        figure = self.open_plot(reduced_motion="reduce")
        pointed_at(figure)
        figure.get_by_role("button", name="Zoom in").click()
        self.until_zoomed(figure)
        self.assertEqual(self.page.evaluate("document.getAnimations().length"), 0)


if __name__ == "__main__":
    unittest.main()
