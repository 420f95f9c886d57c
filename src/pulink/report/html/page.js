"use strict";

document.documentElement.classList.add("js");

const SHOWN_AT_FIRST = 50;

document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.links");
  if (table) tendTable(table);
  tendDrawing();
  tendCommand();
});

function tendTable(table) {
  const links = Array.from(table.tBodies, readLink);
  const search = document.getElementById("search");
  const least = document.getElementById("least");
  const more = document.getElementById("more");
  let limit = SHOWN_AT_FIRST;

  function show() {
    const wanted = foldCase(search.value.trim());
    const lowest = (Number(least.value) || 0) / 100;
    const found = links.filter((link) => link.probability >= lowest && (link.source + "\n" + link.target).includes(wanted));
    const shown = new Set(found.slice(0, limit));
    for (const link of links) link.body.hidden = !shown.has(link);
    more.hidden = found.length <= limit;
    more.textContent = "Show all " + found.length.toLocaleString("en") + " rows";
    document.getElementById("count").textContent = inWords(found.length, links.length);
  }

  function sort(header, place) {
    const sign = turn(header) === "ascending" ? 1 : -1;
    links.sort((a, b) => sign * compare(a.keys[place], b.keys[place]) || a.keys[0] - b.keys[0]);
    table.append(...links.map((link) => link.body));
    show();
  }

  for (const [place, header] of table.querySelectorAll("thead th").entries()) {
    wrapInButton(header).addEventListener("click", () => sort(header, place));
  }
  table.addEventListener("click", (event) => {
    const button = event.target.closest("button[aria-controls]");
    if (button) toggleReasons(button);
  });
  const form = document.getElementById("tools");
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  more.addEventListener("click", () => {
    limit = Infinity;
    show();
  });
  show();
}

function readLink(body) {
  const cells = body.rows[0].cells;
  const probability = numberIn(cells[3]);
  const source = foldCase(cells[1].textContent);
  const target = foldCase(cells[2].textContent);
  return { body, probability, source, target,
    keys: [Number(cells[0].textContent), source, target, probability, numberIn(cells[4])] };
}

function numberIn(cell) {
  return Number(cell.querySelector("data").value);
}

function foldCase(text) {
  return text.normalize("NFC").toLowerCase();
}

const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

function inWords(found, all) {
  if (found === all) return "";
  return found.toLocaleString("en") + " of " + all.toLocaleString("en") + " links match";
}

/* The direction in which a column is sorted next; other columns forget theirs. */
function turn(header) {
  const first = header.dataset.first || "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const next = header.getAttribute("aria-sort") === first ? second : first;
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", next);
  return next;
}

function wrapInButton(header) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...header.childNodes);
  header.append(button);
  return button;
}

function toggleReasons(button) {
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  document.getElementById(button.getAttribute("aria-controls")).classList.toggle("open", open);
}

function tendDrawing() {
  const button = document.getElementById("enlarge");
  if (!button) return;
  button.addEventListener("click", () => {
    const large = document.getElementById("drawing").classList.toggle("enlarged");
    button.setAttribute("aria-pressed", String(large));
    const box = document.querySelector("#drawing .scroll");
    box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  });
}

function tendCommand() {
  const button = document.getElementById("copy");
  if (!button) return;
  const command = document.getElementById("command");
  button.addEventListener("click", async () => {
    button.textContent = await copied(command) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 3000);
  });
}

/* Selected first, so that the keyboard can copy it where the page may not. */
async function copied(element) {
  getSelection().selectAllChildren(element);
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
