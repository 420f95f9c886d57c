/* One value with two handles; the server works out the list, and its part of the page is taken over. */

import { page } from "./api.js";
import { one } from "./dom.js";

const slider = one("#slider");
const number = one("#percent");
let asked = 0;
let later = 0;

async function show(percent) {
  const mine = asked += 1;
  const path = `/certificate?level=${Number((percent / 100).toPrecision(6))}`;
  one("#state").textContent = "Computing.";
  try {
    const fresh = await page(path);
    if (mine !== asked) return;
    one("#result").replaceChildren(...document.importNode(one("#result", fresh), true).childNodes);
    one(".twin").replaceWith(document.importNode(one(".twin", fresh), true));
    history.replaceState(null, "", path);
    const length = one("#certified .number");
    one("#state").textContent = length ? `Certified: ${length.textContent}` : "";
  } catch (error) {
    if (mine === asked) one("#state").textContent = error.message;
  }
}

function onInput(event) {
  if (event.target.value === "" || !event.target.checkValidity()) return;
  const other = event.target === slider ? number : slider;
  other.value = event.target.value;
  clearTimeout(later);
  later = setTimeout(show, 150, event.target.value);
}

/* Somebody may type before this runs, and a browser that goes back keeps what was typed. */
function takeOver(own) {
  if (own.value !== own.defaultValue) onInput({ target: own });
}

takeOver(slider);
takeOver(number);
slider.addEventListener("input", onInput);
number.addEventListener("input", onInput);
one(".chooser").addEventListener("submit", (event) => { event.preventDefault(); });
