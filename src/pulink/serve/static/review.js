/* The review: one pair at a time. The next is asked for when the server has written the answer to this one. */

import { freshKey, getJson, send } from "./api.js";
import { address, all, made, named, one, pairValues, shown } from "./dom.js";
import { showEstimate } from "./estimate.js";
import { drawingOf } from "./drawing.js";
import { askForName, bySingleKeys, reviewer, setSingleKeys } from "./reviewer.js";

const KEYS = { a: "link", x: "no link", " ": "unsure" };
const SAID = { link: "a link", "no link": "no link", unsure: "unsure" };
const between = one(".question").dataset.between;
const pair = one("#pair");
const note = one("#note");

let question = null;
let shownAt = 0;
let busy = false;
let unsent = false;

function say(text) {
  one("#state").textContent = text;
}

function setBusy(now) {
  busy = now;
  one(".question").setAttribute("aria-busy", String(now));
  for (const button of all(".answers-bar button")) button.setAttribute("aria-disabled", String(now));
}

const onWait = (tries) => say(`The server does not answer. Nothing is lost: trying again (${tries}).`);

/* One thing after the other: keys that come meanwhile are not kept. */
async function alone(work) {
  if (busy) return;
  setBusy(true);
  try {
    await work();
  } catch (error) {
    say(error.message);
  } finally {
    setBusy(false);
  }
}

async function nextPair(done = "") {
  const found = await getJson(address("/api/questions/next",
    { reviewer: reviewer(), second_opinion: one("#second").checked ? 1 : "" }), onWait);
  one("#count").textContent = `${found.n_answered} of ${found.goal} answered`;
  one("#progress").value = Math.min(found.n_answered, found.goal);
  showPair(found.question);
  say(done);
}

function showPair(found) {
  question = found;
  note.value = "";
  one("#drawing-of-pair").hidden = true;
  one("#drawing-of-pair").replaceChildren();
  if (found) {
    pair.replaceChildren(endOf(found.source), made("span", { class: "between" }, between), endOf(found.target));
    const reasons = found.reasons.map((text) => made("li", {}, ...shown(text)));
    one("#reasons").replaceChildren(reasons.length ? made("ul", {}, ...reasons) : "");
  } else {
    const others = one("#second").checked;
    pair.replaceChildren(others ? "You have answered all that others have." : "No pair is left to ask about.");
    one("#reasons").replaceChildren();
  }
  pair.focus({ preventScroll: true });
  scrollTo(0, 0);
  shownAt = performance.now();
}

function endOf({ name, type }) {
  const parts = [named(name)];
  if (type) parts.push(made("span", { class: "type" }, ...shown(type)));
  return made("span", { class: "end" }, ...parts);
}

/* Whoever leaves the page meanwhile is asked whether to. */
async function write(body) {
  unsent = true;
  try {
    showEstimate((await send("/api/answers", body, onWait)).estimate);
  } finally {
    unsent = false;
  }
}

/* The key is made once: however often this is sent, it is one answer. */
function answer(kind) {
  if (!question) return;
  alone(async () => {
    const seconds = Math.round((performance.now() - shownAt) / 100) / 10;
    const given = { answer: kind, note: note.value, seconds };
    say("Saving.");
    await write({ question: question.id, reviewer: reviewer(), ...given, key: freshKey() });
    await nextPair(`Saved: ${SAID[kind]}.`);
  });
}

function undo() {
  alone(async () => {
    say("Taking back.");
    await write({ undo: true, reviewer: reviewer(), key: freshKey() });
    await nextPair("Your last answer was taken back.");
  });
}

/* Further reasons and the surroundings, without the probability. */
function why() {
  const place = one("#drawing-of-pair");
  if (!question) return;
  if (!place.hidden) {
    place.hidden = true;
    return;
  }
  alone(async () => {
    const asked = question;
    const figure = await drawingOf(address("/pair", pairValues(asked)));
    place.replaceChildren(figure);
    place.hidden = false;
    say("The surroundings are drawn below the reasons.");
  });
}

const TOOLS = { undo, why, note: () => note.focus(), help: () => one("#help").showModal() };
const TOOL_KEYS = { u: "undo", w: "why", n: "note", "?": "help" };

/* Keys that type text, press a button or have a modifier keep their meaning. */
function onKey(event) {
  if (event.target === note && event.key === "Escape") {
    pair.focus();
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !bySingleKeys()) return;
  if (one("dialog[open]") || event.target.closest("input, textarea, select")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key in KEYS) answer(KEYS[key]);
  else if (key in TOOL_KEYS) TOOLS[TOOL_KEYS[key]]();
  else return;
  event.preventDefault();
}

async function rename() {
  one("#who").replaceChildren(...shown(await askForName(one("#name"))));
  await alone(nextPair);
}

async function begin() {
  if (!one(".answers-bar")) {
    pair.textContent = "Read only: answers cannot be given.";
    return;
  }
  one("#single-keys").checked = bySingleKeys();
  one("#single-keys").addEventListener("change", (event) => setSingleKeys(event.target.checked));
  one("#second").addEventListener("change", () => alone(nextPair));
  one("#rename").addEventListener("click", rename);
  for (const button of all("[data-answer]")) button.addEventListener("click", () => answer(button.dataset.answer));
  for (const button of all("[data-tool]")) button.addEventListener("click", () => TOOLS[button.dataset.tool]());
  document.addEventListener("keydown", onKey);
  addEventListener("beforeunload", (event) => { if (unsent) event.preventDefault(); });
  while (!reviewer()) await askForName(one("#name"));
  one("#who").replaceChildren(...shown(reviewer()));
  await alone(nextPair);
}

begin();
