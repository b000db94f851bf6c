"""Plots that are drawn again to interact with: hovering, zooming, leaving out a series, following a point."""

import unittest
from urllib.parse import urljoin

from browser import PHONE, PageTest, click, draw, drawn, place, point, there
from laboratory import server

# What the plot shows now.
RANGE = "plot => plot._fullLayout.xaxis.range.map(Number)"
SHOWN = "plot => plot._fullData.map(trace => trace.visible === true)"
NAMES = "plot => plot.data.map(({ name }) => name)"

# How many points series have. A variant has another one for its slow runs, if perflab finds some.
POINTS = "plot => plot.data.map(({ customdata }) => customdata.length)"


class Plots(PageTest):
    def setUp(self):
        super().setUp()
        self.page = self.open(urljoin(server().result("sort"), "comparison-1-1.html"))
        self.plot = drawn(self.page.locator("figure.plot").first)
        points = self.plot.evaluate(POINTS)
        self.longest = points.index(max(points))

    def until(self, condition, argument=None):
        """Waits for the plot, which answers clicks with a delay."""
        self.page.wait_for_function(f"([plot, argument]) => ({condition})(plot, argument)",
                                    arg=[self.plot.element_handle(), argument])

    def test_hover(self):
        text = self.plot.evaluate("(plot, longest) => plot.data[longest].text[3]", self.longest)
        value, run = text.split("<br>")
        self.assertRegex(run, r"^run \d+, block \d$")
        self.assertEqual(point(self.plot, self.longest, 3).text_content(), value + run)

    def test_zoom(self):
        before = self.plot.evaluate(RANGE)
        box = self.plot.locator(".nsewdrag").first.bounding_box()
        across, up = box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.25
        self.page.mouse.move(across, up)
        self.page.mouse.down()
        self.page.mouse.move(across + box["width"] / 2, up + box["height"] / 2, steps=5)
        self.page.mouse.up()
        self.until("(plot, width) => { const [low, high] = plot._fullLayout.xaxis.range;"
                   " return high - low < 0.6 * width; }", before[1] - before[0])
        self.page.mouse.dblclick(across, up)
        self.until("(plot, [low, high]) => { const { range } = plot._fullLayout.xaxis;"
                   " return range[0] === low && range[1] === high; }", before)

    def test_two_clicks_on_a_point(self):
        before = self.page.url
        point(self.plot, self.longest, 5)
        self.page.mouse.dblclick(*place(self.plot, self.longest, 5))
        self.page.wait_for_timeout(1000)
        self.assertEqual(self.page.url, before)

    def test_leave_out_a_series(self):
        names = self.plot.evaluate(NAMES)
        self.assertLessEqual({"utf8", "bytes"}, set(names))
        self.assertEqual(self.plot.evaluate(SHOWN), [True] * len(names))
        entries = self.plot.locator(".legend .traces")
        self.assertEqual(entries.all_text_contents(), names)
        entries.first.locator(".legendtoggle").click()
        self.until("plot => plot._fullData[0].visible === 'legendonly'")
        self.assertEqual(self.plot.evaluate(SHOWN), [False] + [True] * (len(names) - 1))
        self.assertEqual(self.plot.locator(".scatterlayer .trace").count(), len(names) - 1)

    def test_follow_a_point(self):
        run = self.plot.evaluate("(plot, longest) => plot.data[longest].customdata[5]", self.longest)
        variant = self.plot.evaluate(NAMES)[self.longest].split(",")[0]
        click(self.plot, self.longest, 5)
        self.assertEqual(self.page.url, urljoin(server().result("sort"), run))
        self.assertIn(variant, self.page.locator("h1").inner_text())

    def test_colours_follow_the_reader(self):
        colour = "plot => plot._fullLayout.paper_bgcolor"
        self.assertEqual(self.plot.evaluate(colour), "#ffffff")
        self.page.emulate_media(color_scheme="dark")
        self.until(f"plot => ({colour})(plot) === '#14171b'")

    def test_nothing_moves_as_it_is_drawn(self):
        page = self.open(urljoin(server().result("sort"), "comparison-1-1.html"))
        height = "() => document.documentElement.scrollHeight"
        before = page.evaluate(height)
        self.assertGreaterEqual(draw(page), 3)
        self.assertEqual(page.evaluate(height), before)

    def test_by_touch(self):
        page = self.open(server().result("sort"), viewport=PHONE, is_mobile=True, has_touch=True)
        figure = page.locator("figure.plot").first
        figure.tap()
        plot = there(figure)
        # The buttons hide no name.
        buttons = plot.locator(".modebar").bounding_box()
        names = plot.locator(".legend .traces").first.bounding_box()
        self.assertLessEqual(buttons["y"] + buttons["height"], names["y"])


if __name__ == "__main__":
    unittest.main()
