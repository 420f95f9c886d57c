"""Pages in a real browser: whether anything ran that should not, and what the console said."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path

CHROMIUM = shutil.which("chromium")

# Before everything else: what payloads call. After everything: all that a reader could do to any element.
_LISTENER = """
window.seen = [];
window.ran = (number) => { window.seen.push(number); };
for (const name of ["alert", "confirm", "prompt", "fetch", "open", "print"]) {
  window[name] = (...given) => { window.seen.push(name + ": " + given.join(" ")); };
}
"""
_READER = """
window.addEventListener("load", () => {
  const poke = () => {
    for (const element of document.querySelectorAll("*")) {
      for (const kind of ["mouseover", "mouseenter", "click", "focus", "input", "change", "error", "load"]) {
        const isReset = kind === "click" && element.tagName === "BUTTON" && element.type === "reset";
        if (!isReset) element.dispatchEvent(new Event(kind, { bubbles: false, cancelable: true }));
      }
    }
  };
  poke();
  setTimeout(poke, 300);
  setTimeout(() => {
    const elements = Array.from(document.querySelectorAll("*"));
    const attributes = elements.flatMap((element) => Array.from(element.attributes));
    document.title = JSON.stringify({
      ran: window.seen,
      handlers: attributes.filter((attribute) => attribute.name.toLowerCase().startsWith("on")).length,
      links: attributes.filter((attribute) => /^\\s*(javascript|data|vbscript):/i.test(attribute.value)
        && ["href", "src", "action", "data", "xlink:href"].includes(attribute.name)).length,
      tags: Array.from(new Set(elements.map((element) => element.tagName.toLowerCase()))).sort(),
    });
  }, 800);
});
"""


@dataclass(frozen=True)
class Seen:
    """ran: what called or was called; handlers, links: attributes that could run; tags: kinds of elements."""

    ran: list[object]
    handlers: int
    links: int
    tags: list[str]


def watched(page: str) -> str:
    """The page without its policy, under the eyes of two more scripts: what is not escaped would run."""
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page, count=1)
    free = free.replace("<head>", f"<head><script>{_LISTENER}</script>", 1)
    return free.replace("</head>", f"<script>{_READER}</script></head>", 1)


def look(page: str, folder: Path) -> Seen:
    """What a watched page left."""
    dom, _ = browse(watched(page), folder)
    title = re.search("<title>(.*?)</title>", dom, re.DOTALL)
    return Seen(**json.loads(unescape(title[1]) if title else "{}"))


def browse(page: str, folder: Path) -> tuple[str, list[str]]:
    """The page as the browser has it in the end, and what its console said."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8", errors="surrogatepass")
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    command = [str(CHROMIUM), *flags.split(), "--disable-component-update", "--enable-logging=stderr"]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=300, check=True)
    said = [row for row in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in row]
    return done.stdout.decode(errors="replace"), said
