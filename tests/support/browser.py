"""A page in a real browser, and what a script that was added to it saw there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from pulink.report.html.page import policy

CHROMIUM = shutil.which("chromium")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync "
    "--disable-component-update --enable-logging=stderr --virtual-time-budget=20000"
)

# What every driver can use; it sends what its `drive` returned to the page around, which keeps it in its title.
_TOOLS = """
const one = (selector) => document.querySelector(selector);
const all = (selector) => Array.from(document.querySelectorAll(selector));
const settled = () => new Promise((go) => setTimeout(go, 60));
/* The browser's clock is a virtual one, which does not wait for frames to be drawn. */
window.requestAnimationFrame = (go) => setTimeout(go, 16);
const press = (element, key) =>
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const type = (id, value) => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event("input", { bubbles: true }));
};
const point = (type, x, y) => one("svg.network").dispatchEvent(
  new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true, pointerId: 1 }));
const tap = (x, y) => { point("pointerdown", x, y); point("pointerup", x, y); };
const middle = (element) => {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
document.addEventListener("DOMContentLoaded", async () => {
  await settled();
  let seen;
  try { seen = await drive(); } catch (error) { seen = { failed: String(error.stack) }; }
  parent.postMessage(JSON.stringify(seen), "*");
});
"""

_AROUND = """<!doctype html><meta charset="utf-8"><title></title><body style="margin:0">
<script>addEventListener("message", (event) => { document.title = event.data; });</script>
<iframe src="report.html" style="border:0;width:{width}px;height:900px"></iframe>"""


# On a busy machine the browser may give the page before files that it reads are there: their time is real.
_TRIES = 3


def browse(page: Path, folder: Path, width: int = 1440) -> tuple[str, list[str]]:
    """The page as the browser has it in the end, and what its console said."""
    command = [str(CHROMIUM), *_FLAGS.split(), f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={max(width, 500)},900", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=180, check=True)
    said = [row for row in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in row]
    return done.stdout.decode(), said


def drive(page: str, folder: Path, driver: str, width: int = 1440) -> Any:
    """What the driver's function `drive` returns; nothing may be said on the console.

    The page stands in a frame, because a window cannot be as narrow as a telephone's.
    """
    script = _TOOLS + driver
    style, own = (re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0] for tag in ("style", "script"))
    assert policy(style, own) in page
    page = page.replace(policy(style, own), policy(style, own, script))
    page = page.replace("</head>", f"<script>{script}</script></head>")
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / "around.html").write_text(_AROUND.replace("{width}", str(width)), encoding="utf-8")
    for _ in range(_TRIES):
        shown, said = browse(folder / "around.html", folder, width)
        assert said == []
        title = re.search("<title>(.*?)</title>", shown, re.DOTALL)
        assert title is not None
        if title[1]:
            break
    assert title[1], "the driver said nothing"
    seen = json.loads(unescape(title[1]))
    assert "failed" not in seen, seen
    return seen
