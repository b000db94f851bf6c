"""Plots to interact with, by mouse: hovering, zooming, leaving out a series, following a mark, saving a picture."""

import re
import unittest
from pathlib import Path
from urllib.parse import urljoin

from browser import PageTest, point_at_plots, places, point, pointed_at
from laboratory import server

# The numbers on the axes: those below, and those on the left.
TICKS = "figure => ['x', 'y'].map(axis => [...figure.querySelectorAll(`[data-axis=${axis}] text`)].map(({ textContent }) => textContent))"
# Where the axes begin and end in the window.
FRAME = """figure => {
    const { left, top, right, bottom } = figure.querySelector(".frame").getBoundingClientRect();
    return [left, top, right, bottom];
}"""
# Where each number is on an axis: what it says, and its place in the window.
SCALE = """(figure, axis) => {
    const [low, high] = axis === "x" ? ["left", "right"] : ["top", "bottom"];
    const lines = [...figure.querySelectorAll(`[data-axis=${axis}] .grid`)].map(line => line.getBoundingClientRect());
    const texts = [...figure.querySelectorAll(`[data-axis=${axis}] text`)].map(({ textContent }) => Number(textContent));
    return texts.map((text, index) => [text, (lines[index][low] + lines[index][high]) / 2]);
}"""


class PlotTest(PageTest):
    def open_plot(self, result="sort", path="comparison-1-1.html", plot=0, **options):
        self.page = self.open(urljoin(server().result(result), path), **options)
        return self.page.locator("figure.plot").nth(plot)

    def ticks(self, figure):
        return figure.evaluate(TICKS)

    def until_zoomed(self, figure, is_zoomed=True):
        figure.locator("xpath=self::*[contains(@class, 'is-zoomed')]").wait_for(state="attached" if is_zoomed else "detached")


class Plots(PlotTest):
    def setUp(self):
        super().setUp()
        self.figure = self.open_plot()

    def drag(self, box, modifier=None):
        """Drags between two places, which are shares of the frame from its left and its top."""
        pointed_at(self.figure)
        left, top, right, bottom = self.figure.evaluate(FRAME)
        ends = [(left + x * (right - left), top + y * (bottom - top)) for x, y in (box[:2], box[2:])]
        if modifier:
            self.page.keyboard.down(modifier)
        self.page.mouse.move(*ends[0])
        self.page.mouse.down()
        self.page.mouse.move(*ends[1], steps=5)
        self.page.mouse.up()
        if modifier:
            self.page.keyboard.up(modifier)

    def of_a_pixel(self, axis):
        """How much of an axis is in a pixel."""
        (one, at), *_, (other, there) = self.figure.evaluate(SCALE, axis)
        return abs((other - one) / (there - at))

    def assert_scale(self, axis, kind="points"):
        """Numbers on an axis are where the hint says that marks are."""
        scale = self.figure.evaluate(SCALE, axis)
        self.assertGreaterEqual(len(scale), 2)
        (one, at), (other, there) = scale[0], scale[-1]
        for value, place in scale:
            self.assertAlmostEqual(place, at + (value - one) / (other - one) * (there - at), delta=1)
        count = len(places(self.figure, kind))
        self.assertGreater(count, 0)
        for index in range(count):
            run = int(re.search(r"run (\d+)", point(self.figure, kind, index).text_content())[1])
            if axis == "x":
                self.assertAlmostEqual(places(self.figure, kind)[index][0], at + (run - one) / (other - one) * (there - at), delta=1)

    def test_hover(self):
        hint = point(self.figure, "points", 3)
        self.assertRegex(hint.text_content(), r"^(utf8|bytes): [\d.]+ ms(, a slow run)?\nrun \d+, block \d$")
        box, figure = hint.bounding_box(), self.figure.bounding_box()
        self.assertGreaterEqual(box["x"], figure["x"])
        self.assertLessEqual(box["x"] + box["width"], figure["x"] + figure["width"])
        self.page.mouse.move(1, 1)
        self.figure.locator(".hint:empty").wait_for(state="attached")

    def test_every_mark_says_what_it_is(self):
        for index, kind, said in [(0, "points", r"run \d+"), (1, "summaries", "median"), (2, "lines", r"share of runs \(%\) [\d.]+")]:
            figure = self.page.locator("figure.plot").nth(index)
            pointed_at(figure)
            self.assertRegex(point(figure, kind, 0).text_content(), said)
        self.figure = self.open_plot(path="index.html")
        pointed_at(self.figure)
        self.assertRegex(point(self.figure, "intervals", 0).text_content(), r"bytes: .*\[.*\]")
        cell = self.page.locator(".cell rect").first
        cell.scroll_into_view_if_needed()
        cell.hover(force=True)
        cell.hover(force=True, position={"x": 9, "y": 9})
        hint = self.page.locator("figure:hover .hint:not(:empty)")
        self.assertRegex(hint.text_content(), r"lines=\d+ bytes: ")

    def test_zoom_and_back(self):
        before, coarse = self.ticks(self.figure), [self.of_a_pixel(axis) for axis in "xy"]
        self.drag([0.2, 0.2, 0.8, 0.98])
        self.until_zoomed(self.figure)
        for axis, of_a_pixel in zip("xy", coarse):
            self.assert_scale(axis)
            self.assertLess(self.of_a_pixel(axis), 0.9 * of_a_pixel, axis)
        left, top, _, _ = self.figure.evaluate(FRAME)
        self.page.mouse.dblclick(left + 3, top + 3)
        self.until_zoomed(self.figure, False)
        self.assertEqual(self.ticks(self.figure), before)

    def test_zoom_along_one_axis(self):
        across, up = self.ticks(self.figure)
        self.drag([0.2, 0.5, 0.6, 0.51])
        self.until_zoomed(self.figure)
        self.assertEqual(self.ticks(self.figure)[1], up)
        self.assertNotEqual(self.ticks(self.figure)[0], across)

    def test_move_what_is_shown(self):
        self.drag([0.3, 0.1, 0.6, 0.9])
        self.until_zoomed(self.figure)
        before = [float(text) for text in self.ticks(self.figure)[0]]
        self.drag([0.2, 0.5, 0.8, 0.5], "Shift")
        self.page.wait_for_timeout(100)
        self.assertLess(float(self.ticks(self.figure)[0][0]), before[0])

    def test_escape_ends_a_drag(self):
        before = self.ticks(self.figure)
        pointed_at(self.figure)
        left, top, right, bottom = self.figure.evaluate(FRAME)
        self.page.mouse.move(left + 20, top + 20)
        self.page.mouse.down()
        self.page.mouse.move(right - 20, bottom - 20, steps=3)
        self.assertTrue(self.figure.locator(".selection").is_visible())
        self.page.keyboard.press("Escape")
        self.assertFalse(self.figure.locator(".selection").is_visible())
        self.page.mouse.up()
        self.page.wait_for_timeout(100)
        self.assertEqual(self.ticks(self.figure), before)

    def test_wheel(self):
        pointed_at(self.figure)
        before, place = self.ticks(self.figure), places(self.figure, "points")[5]
        self.page.mouse.move(*place)
        said = point(self.figure, "points", 5).text_content()
        scrolled = self.page.evaluate("scrollY")
        self.page.keyboard.down("Control")
        for _ in range(5):
            self.page.mouse.wheel(0, -100)
        self.page.keyboard.up("Control")
        self.until_zoomed(self.figure)
        self.assertNotEqual(self.ticks(self.figure), before)
        self.assertEqual(self.figure.locator(".hint").text_content(), said, "what is under the mouse stays there")
        self.assertEqual(self.page.evaluate("scrollY"), scrolled)
        self.page.mouse.wheel(0, 100)
        self.page.wait_for_function("before => scrollY > before", arg=scrolled)

    def test_zoom_by_buttons(self):
        before = self.ticks(self.figure)
        pointed_at(self.figure)
        self.assertFalse(self.figure.locator(".whole").is_visible())
        self.figure.get_by_role("button", name="Zoom in").click()
        self.until_zoomed(self.figure)
        self.figure.get_by_role("button", name="Zoom out").click()
        self.until_zoomed(self.figure, False)
        self.figure.get_by_role("button", name="Zoom in").click()
        self.figure.get_by_role("button", name="Show the whole plot").click()
        self.until_zoomed(self.figure, False)
        self.assertEqual(self.ticks(self.figure), before)

    def test_far_into_a_plot(self):
        """Numbers on the axes stay apart, and tell places apart, until no further zoom does anything."""
        pointed_at(self.figure)
        self.page.mouse.move(*places(self.figure, "points")[5])
        self.page.keyboard.down("Control")
        for _ in range(40):
            self.page.mouse.wheel(0, -100)
        self.page.keyboard.up("Control")
        self.until_zoomed(self.figure)
        self.page.wait_for_timeout(200)
        for texts in self.ticks(self.figure):
            self.assertEqual(len(set(texts)), len(texts), texts)
        boxes = [text.bounding_box() for text in self.figure.locator("[data-axis=x] text").all()]
        for one, other in zip(boxes, boxes[1:]):
            self.assertLess(one["x"] + one["width"], other["x"])
        drawing = self.figure.locator("svg").bounding_box()
        for text in self.figure.locator("[data-axis] text").all():
            self.assertGreaterEqual(text.bounding_box()["x"], drawing["x"])

    def test_names_stay_where_they_are(self):
        self.figure = self.page.locator("figure.plot").nth(1)
        across, up = self.ticks(self.figure)
        self.drag([0.3, 0.1, 0.6, 0.9])
        self.until_zoomed(self.figure)
        self.assertEqual(self.ticks(self.figure)[1], up)
        self.assertNotEqual(self.ticks(self.figure)[0], across)

    def test_two_clicks_on_a_point(self):
        before = self.page.url
        point(self.figure, "points", 5)
        self.page.mouse.dblclick(*places(self.figure, "points")[5])
        # Another page, that of a point, would come meanwhile.
        self.page.wait_for_timeout(1000)
        self.assertEqual(self.page.url, before)

    def test_follow_a_point(self):
        said = point(self.figure, "points", 5).text_content()
        variant, run = re.match(r"(\w+): .*\nrun (\d+)", said).groups()
        with self.page.expect_navigation():
            self.page.mouse.click(*places(self.figure, "points")[5])
        self.assertEqual(self.page.url, urljoin(server().result("sort"), f"run-{run}.html"))
        self.assertIn(variant, self.page.locator("h1").inner_text())

    def test_no_click_beside_a_point(self):
        pointed_at(self.figure)
        left, _, _, bottom = self.figure.evaluate(FRAME)
        before = self.page.url
        self.page.mouse.click(left - 40, bottom + 5)
        self.page.wait_for_timeout(600)
        self.assertEqual(self.page.url, before)

    def test_leave_out_a_series(self):
        pointed_at(self.figure)
        names = self.figure.locator(".legend").all_text_contents()
        self.assertLessEqual({"utf8", "bytes"}, set(names))
        entry = self.figure.locator(".legend", has_text=re.compile("^bytes$"))
        layer = self.figure.locator(f"[data-entry='{names.index('bytes')}']").first
        self.assertTrue(layer.is_visible())
        place = places(self.figure, "points")[3]
        entry.click()
        self.assertEqual(entry.get_attribute("aria-pressed"), "false")
        self.assertFalse(layer.is_visible())
        self.assertEqual(self.figure.locator("[data-marks]:visible").count(), self.figure.locator("[data-marks]").count() - 1)
        entry.focus()
        self.page.keyboard.press("Space")
        self.assertTrue(layer.is_visible())
        self.assertEqual(place, places(self.figure, "points")[3])

    def test_save_a_picture(self):
        pointed_at(self.figure)
        with self.page.expect_download() as download:
            self.figure.get_by_role("button", name="Save a picture").click()
        self.assertRegex(download.value.suggested_filename, r"every run in order\.png$")
        picture = Path(download.value.path()).read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(picture), 5000, "nothing is drawn")

    def test_colours_follow_the_reader(self):
        colour = "figure => getComputedStyle(figure.querySelector('.s1 path')).stroke"
        light = self.figure.evaluate(colour)
        self.page.emulate_media(color_scheme="dark")
        self.assertNotEqual(self.figure.evaluate(colour), light)

    def test_nothing_moves_as_it_is_pointed_at(self):
        page = self.open(urljoin(server().result("sort"), "comparison-1-1.html"))
        height = "() => document.documentElement.scrollHeight"
        before, drawings = page.evaluate(height), page.locator("svg.plot").count()
        boxes = page.locator("svg.plot").evaluate_all("all => all.map(one => one.getBoundingClientRect().top + scrollY)")
        self.assertGreaterEqual(point_at_plots(page), 3)
        self.assertEqual(page.evaluate(height), before)
        self.assertEqual(page.locator("svg.plot").count(), drawings)
        again = page.locator("svg.plot").evaluate_all("all => all.map(one => one.getBoundingClientRect().top + scrollY)")
        self.assertEqual(again, boxes)

    def test_no_mark_moves_as_it_is_read(self):
        before = places(self.figure, "points")
        pointed_at(self.figure)
        for one, other in zip(before, places(self.figure, "points"), strict=True):
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, delta=0.2)


class ManyPoints(PlotTest):
    """More points than have a text of their own."""

    def test_place_and_link(self):
        figure = self.open_plot("large")
        pointed_at(figure)
        self.assertRegex(point(figure, "points", 700).text_content(), r"^(old|new)\nrun \d+\n.+ [\d.]+$")
        with self.page.expect_navigation():
            self.page.mouse.click(*places(figure, "points")[700])
        self.assertRegex(self.page.url, r"run-\d+\.html$")


if __name__ == "__main__":
    unittest.main()
