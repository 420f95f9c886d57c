/* Who answers: asked for once, and kept in this browser. */

const KEPT = "pulink.reviewer";
const SINGLE_KEYS = "pulink.single-keys";

/* A browser may forbid keeping things; then they last as long as the page. */
const here = new Map();

function kept(name) {
  try {
    return localStorage.getItem(name) ?? here.get(name) ?? "";
  } catch {
    return here.get(name) ?? "";
  }
}

function keep(name, value) {
  here.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch { /* It lasts as long as the page. */ }
}

export const reviewer = () => kept(KEPT);
export const bySingleKeys = () => kept(SINGLE_KEYS) !== "no";
export const setSingleKeys = (on) => keep(SINGLE_KEYS, on ? "yes" : "no");

/* The name, from a dialog of the page where none is kept, or another is wanted. */
export function askForName(dialog) {
  const input = dialog.querySelector("input");
  input.value = reviewer() || input.value;
  dialog.showModal();
  input.select();
  return new Promise((go) => {
    dialog.addEventListener("close", () => {
      const name = input.value.trim();
      if (name) keep(KEPT, name);
      go(reviewer());
    }, { once: true });
  });
}
