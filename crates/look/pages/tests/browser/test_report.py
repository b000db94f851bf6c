"""A report in a folder, opened as a file: the first screen, and the way from there to what a run said."""

import unittest

from browser import DESK, PageTest, click
from laboratory import folder

# More elements than that are not passed by on the way to any link.
MOST_STEPS = 200


class Report(PageTest):
    def press_on_link(self, page, part):
        """Goes by keyboard to the first link whose address has this part, and follows it."""
        for _ in range(MOST_STEPS):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                "() => { const { outlineStyle } = getComputedStyle(document.activeElement);"
                " return [document.activeElement.getAttribute('href') ?? '', outlineStyle]; }")
            if part in focused[0]:
                self.assertNotEqual(focused[1], "none", "where the keyboard is must be seen")
                with page.expect_navigation():
                    page.keyboard.press("Enter")
                return
        self.fail(f"no link with {part} is reached by keyboard")

    def follow(self, page, part):
        with page.expect_navigation():
            page.locator(f"main a[href*='{part}']").first.click()

    def assert_says(self, page):
        self.assertRegex(page.locator("body").inner_text(), r"^sorted \d+ lines")

    def test_first_screen(self):
        page = self.open(folder())
        self.assertEqual(page.locator("h1").inner_text(), "Is sort faster when it compares bytes?")
        self.assertIn("bytes against utf8, wall: ", page.locator(".answer").first.inner_text())
        for part in ["h1", ".answer", "figure.plot"]:
            box = page.locator(part).first.bounding_box()
            self.assertLessEqual(box["y"] + box["height"], DESK["height"], part)
        self.assertEqual(page.locator("svg .cell").count(), 8, "a map for each metric")

    def test_three_clicks_through_tables(self):
        page = self.open(folder())
        self.follow(page, "comparison-1-1")
        self.follow(page, "run-")
        self.follow(page, "stdout")
        self.assert_says(page)

    def test_three_clicks_through_plots(self):
        page = self.open(folder())
        click(page.locator("figure.plot").first, "intervals", 0)
        self.assertRegex(page.url, r"comparison-1-\d\.html$")
        click(page.locator("figure.plot").first, "points", 0)
        self.assertRegex(page.url, r"run-\d+\.html$")
        self.follow(page, "stdout")
        self.assert_says(page)

    def test_three_clicks_through_runs(self):
        page = self.open(folder())
        with page.expect_navigation():
            page.get_by_role("link", name="Runs", exact=True).click()
        self.follow(page, "run-")
        self.follow(page, "stdout")
        self.assert_says(page)

    def test_by_keyboard_alone(self):
        page = self.open(folder())
        for part in ["comparison-1-1", "run-", "stdout"]:
            self.press_on_link(page, part)
        self.assert_says(page)


if __name__ == "__main__":
    unittest.main()
