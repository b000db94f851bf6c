"""Pictures of pages, kept for people to look at."""

import os
from pathlib import Path

FOLDER = Path(os.environ["SCREENSHOTS"])


def take(page, name, whole=False):
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", full_page=whole)
