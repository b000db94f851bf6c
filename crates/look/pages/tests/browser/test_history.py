"""The pages of a history: from all histories to a log, its changes, its plot, its tests."""

import unittest
from urllib.parse import urljoin

from browser import PageTest
from history import past


class History(PageTest):
    def click(self, page, selector):
        with page.expect_navigation():
            page.locator(selector).first.click()

    def test_from_all_histories_to_a_log_in_five_clicks(self):
        page = self.open(past().first)
        self.assertEqual(page.locator("tbody th a").all_inner_texts(), ["past"])
        self.click(page, "tbody th a")
        self.assertEqual(page.locator("h1").inner_text(), "Since when is it so large?")
        self.click(page, "a[href^='campaigns/']")
        self.click(page, "a[href='runs.html']")
        self.click(page, "a[href='run-1.html']")
        self.click(page, "a[href$='-stdout.txt']")
        self.assertRegex(page.inner_text("body"), r"^1\d\d\d")

    def test_a_change_leads_to_its_revision(self):
        page = self.open(past().result("past"))
        changes = page.locator("[aria-label=Changes] .answer")
        self.assertEqual(changes.count(), 1, page.inner_text("main"))
        self.assertRegex(changes.inner_text(), r"size.*\+5.*since .* of 2026-01-15")
        self.assertEqual(changes.locator(".verdict.worse").count(), 1)
        self.click(page, "[aria-label=Changes] .answer a")
        self.assertIn("change 15", page.locator("h1").inner_text())
        self.assertIn("build.sh", page.inner_text("main"))

    def test_a_series_is_switched_off_and_zoomed(self):
        page = self.open(urljoin(past().result("past"), "metric-1.html"))
        figure = page.locator("figure.plot")
        names = figure.locator(".legend").all_text_contents()
        self.assertTrue(any("A: another compiler" in name for name in names), names)
        control = figure.locator("[aria-pressed]").filter(has_text="control")
        self.assertEqual(control.get_attribute("aria-pressed"), "true")
        control.click()
        self.assertEqual(control.get_attribute("aria-pressed"), "false")
        figure.hover()
        figure.get_by_role("button", name="Zoom in").click()
        figure.locator("xpath=self::*[contains(@class, 'is-zoomed')]").wait_for(state="attached")

    def test_what_is_zoomed_into_can_be_measured(self):
        page = self.open(urljoin(past().result("past"), "metric-1.html"))
        figure, offer = page.locator("figure.plot"), page.locator(".between")
        self.assertFalse(offer.is_visible())
        figure.hover()
        figure.get_by_role("button", name="Zoom in").click()
        offer.wait_for()
        self.assertRegex(offer.inner_text(), r"perflab history run HISTORY\.toml --out DIR --fill [0-9a-f]+\.\.[0-9a-f]+$")
        first, last = offer.inner_text().rsplit(" ", 1)[1].split("..")
        self.assertNotEqual(first, last)
        figure.get_by_role("button", name="Show the whole plot").click()
        offer.wait_for(state="hidden")
        for name in (first, last):
            revision = self.open(urljoin(past().result("past"), f"revision-{name}.html"))
            self.assertIn(name, revision.inner_text("main"))

    def test_tests_by_severity(self):
        page = self.open(urljoin(past().result("past"), "tests.html"))
        rows = page.locator("table.tests tbody tr")
        self.assertIn("breaks", rows.first.inner_text())
        self.assertRegex(rows.first.inner_text(), "broken since .* of 2026-01-20")
        self.assertEqual(rows.first.locator("td.bad").count(), 11)
        self.assertEqual(rows.nth(1).locator("td.well").count(), 30)


if __name__ == "__main__":
    unittest.main()
