"""Charts: medians as points that lines join."""

import re

from browser import point, pointed_at
from test_plots import PlotTest


class Charts(PlotTest):
    def setUp(self):
        super().setUp()
        self.figure = self.open_plot("read", "charts.html")

    def test_points_say_what_they_are(self):
        pointed_at(self.figure)
        self.assertRegex(point(self.figure, "points", 0).text_content(), r"^(once at 1: 11\.0|twice at 1: 12\.0) \[.*\] ns$")

    def test_keys_lead_from_point_to_point(self):
        drawing = self.figure.locator(".drawing")
        while not drawing.evaluate("drawing => drawing === document.activeElement"):
            self.page.keyboard.press("Tab")
        said = []
        for _ in range(6):
            self.page.keyboard.press("ArrowRight")
            said.append(re.match(r"\w+ at \d+", self.figure.locator(".hint").text_content())[0])
        self.assertEqual(said, [f"{name} at {number}" for name in ("once", "twice") for number in (1, 20, 400)])
