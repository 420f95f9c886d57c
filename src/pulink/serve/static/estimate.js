/* What the answers tell, brought up to date: the words and elements of serve/pages/estimate.py. */

import { all, made, one, shown } from "./dom.js";

const whole = (value) => Math.round(value).toLocaleString("en");
const about = (value) => value > 0 && value < 0.5 ? "less than 1" : whole(value);

export function showEstimate(estimate) {
  const { missing, width } = estimate;
  tell("best", `about ${about(missing.best)}`);
  tell("interval", `90% interval: ${about(missing.low)} to ${about(missing.high)}`
    + (width <= 1 ? ` (±${Math.round(100 * width)}%)` : ""));
  for (const level of ["0.1", "0.2"]) tell(`certified-${level}`, whole(estimate.certified[level]));
  tell("counts", `Answers that count: ${whole(estimate.n_links)} link, ${whole(estimate.n_no_links)} no link, `
    + `${whole(estimate.n_unsure)} unsure`);
  one('[data-tells="enough"]').hidden = !estimate.enough;
  const warnings = estimate.warnings ?? [];
  one('[data-tells="warnings"]').replaceChildren(
    ...(warnings.length ? [made("ul", {}, ...warnings.map((text) => made("li", {}, ...shown(text))))] : []));
  drawSpans(estimate);
}

/* Only what changed, or a screen reader would say the same again. */
function tell(what, text) {
  for (const element of all(`[data-tells="${what}"]`)) {
    if (element.textContent !== text) element.textContent = text;
  }
}

function drawSpans({ before, missing }) {
  const spans = one(".spans");
  const most = Math.max(Number(spans.dataset.most), before?.high ?? 0, missing.high);
  spans.dataset.most = most;
  const at = (value) => (300 * value / most).toFixed(1);
  for (const [kind, own] of [["before", before], ["now", missing]]) {
    const [bar, mark] = all(`.spans .${kind}`);
    if (!bar) continue;
    const y = Number(bar.dataset.y);
    bar.setAttribute("d", `M${at(own.low)} ${y}H${at(own.high)}`);
    mark.setAttribute("d", `M${at(own.best)} ${y - 4}V${y + 4}`);
  }
}
