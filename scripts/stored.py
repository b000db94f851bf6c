"""Shared by scripts that feed a document from a stored result: a result in an archive, perflab's output about it, and
tables of that."""
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PERFLAB = Path(os.environ.get("PERFLAB", ROOT / "target/release/perflab")).resolve()


def output(*command, cwd=None):
    """What perflab prints."""
    environment = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1"}
    return subprocess.run([PERFLAB, *command], cwd=cwd, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def marked(page, begin, end):
    """The text of a page before its generated part, that part, and the text behind it."""
    before, found, rest = page.read_text().partition(begin)
    old, found_end, after = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{page.relative_to(ROOT)}: expected {begin.strip()} and {end.strip()} around its generated part")
    return before + begin, old, end + after


def store(result, archive, name, leave_out=("lock",)):
    """Puts a result into an archive, as the directory `name`, without the paths of `leave_out`."""
    def plain(entry):
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
        return entry

    archive.parent.mkdir(exist_ok=True)
    with tarfile.open(archive, "w:xz", preset=9) as file:
        for path in sorted(Path(result).rglob("*")):
            inside = path.relative_to(result)
            if inside.parts[0] not in leave_out:
                file.add(path, Path(name) / inside, recursive=False, filter=plain)


def unpack(archive, directory):
    with tarfile.open(archive) as file:
        file.extractall(directory, filter="data")


def machine(result):
    """The machine of a result in words, the day on which it was begun, and its load average then."""
    facts = json.loads((result / "fingerprint.json").read_text())["machine"]
    kind = "a virtual machine" if facts["confinement"]["virtual_machine"] else "a machine"
    release = ".".join(facts["kernel"]["release"].split("-")[0].split(".")[:2])
    begun = json.loads((result / "meta.json").read_text())["created"][:10]
    return f"{kind} with {facts['cpu']['logical_cpus']} CPUs ({facts['cpu']['name']}, Linux {release}), on {begun}; load average at the start: {facts['moment']['load1']:.1f}"


def signed(share):
    """A relative difference in percent."""
    return f"{100 * share:+.2f}".replace("-", "−") if abs(share) >= 5e-5 else "0.00"


def interval(answer):
    """The difference of a question of a row, with its interval."""
    ends = ["…" if answer[end] is None else signed(answer[end]) for end in ("low", "high")]
    return f"{signed(answer['difference'])} % [{', '.join(ends)}]"


def verdict(row):
    """The verdict of a row; bold if anything is proven."""
    return row["headline"] if row["headline"] == "not proven" else f"**{row['headline']}**"


def mde(*rows):
    """The largest of some rows, in %."""
    shares = [row["mde"] for row in rows]
    return "not known" if None in shares else f"{100 * max(shares):.2f} %"


def table(header, rows):
    aligned = ["---"] + ["---:"] * (len(header) - 1)
    lines = ("".join(f" {cell} |" if cell else " |" for cell in row) for row in [header, aligned, *rows])
    return "\n".join(f"|{line}" for line in lines)
