"use strict";

/* What every page does: tell its style that a script runs, and copy its command. */

document.documentElement.classList.add("js");

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("copy");
  if (!button) return;
  const command = document.getElementById("command");
  button.addEventListener("click", async () => {
    button.textContent = await copied(command) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 3000);
  });
});

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
