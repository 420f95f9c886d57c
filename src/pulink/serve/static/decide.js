/* Buttons that decide about one pair, on the pages of pairs and of answers. */

import { freshKey, page, send } from "./api.js";
import { all, one } from "./dom.js";
import { reviewer } from "./reviewer.js";

const say = (text) => { one("#state").textContent = text; };
const onWait = (tries) => say(`The server does not answer. Nothing is lost: trying again (${tries}).`);

function asked(group) {
  if (group.dataset.question) return { question: Number(group.dataset.question) };
  const values = new URLSearchParams(group.dataset.pair);
  const end = (name) => ({ name: values.get(name), type: values.get(name + "_type") ?? "" });
  return { source: end("source"), target: end("target") };
}

async function decide(button) {
  const group = button.closest("[role=group]");
  if (group.getAttribute("aria-busy") === "true") return;
  group.setAttribute("aria-busy", "true");
  const answer = button.dataset.decide;
  try {
    const who = reviewer() || document.body.dataset.reviewer;
    await send("/api/answers", { ...asked(group), reviewer: who, answer, note: "", key: freshKey() }, onWait);
    await refresh(group, answer);
    say(answer === "taken back" ? "Your answer was taken back." : `Saved: ${answer}.`);
  } catch (error) {
    say(error.message);
  } finally {
    group.setAttribute("aria-busy", "false");
  }
}

/* The server writes the page anew; what changed is taken from it, and the focus stays where it was. */
async function refresh(group, answer) {
  const fresh = await page(location.href);
  const rows = group.closest("tbody") ? all("tbody[id]") : all("#probability, #history");
  for (const row of rows) {
    const now = fresh.getElementById(row.id);
    if (now && now.outerHTML !== row.outerHTML) row.replaceWith(document.importNode(now, true));
  }
  markMine();
  const reviewers = fresh.getElementById("reviewers");
  if (reviewers) one("#reviewers")?.replaceWith(document.importNode(reviewers, true));
  const { question } = group.dataset;
  if (question) one(`[data-question="${question}"] [data-decide="${answer}"]`)?.focus();
}

/* The buttons of a row show what you have said. */
function markMine() {
  const mine = reviewer() || document.body.dataset.reviewer;
  for (const row of all("tbody[id]")) {
    const said = all(".standing [data-by]", row).find((own) => own.dataset.by === mine)?.dataset.said;
    for (const button of all("[data-decide]", row)) {
      const { decide: answer } = button.dataset;
      if (answer !== "taken back") button.setAttribute("aria-pressed", String(answer === said));
      else button.disabled = !said;
    }
  }
}

markMine();
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-decide]");
  if (button) decide(button);
});
