/* New elements, and names of other people's files, which are set as text only. */

/* As in pulink.report.html.escape: what cannot be seen or reorders its surroundings is written as its code. */
const UNSEEN = new RegExp(
  "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
  + "\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff\\ud800-\\udfff\\u{e0000}-\\u{e007f}]", "gu");

export const one = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

/* An HTML element with attributes; parts are elements or texts. */
export function made(tag, attributes, ...parts) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...parts);
  return element;
}

function codeOf(letter) {
  const number = letter.codePointAt(0).toString(16).toUpperCase();
  return number.length > 4 ? "\\U" + number.padStart(8, "0") : "\\u" + number.padStart(4, "0");
}

/* Text and <code> elements that show every character. */
export function shown(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(UNSEEN)) {
    parts.push(text.slice(end, found.index), made("code", {}, codeOf(found[0])));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

export function named(text) {
  return made("bdi", {}, ...shown(text));
}

export function counted(count, what, many = what + "s") {
  return count.toLocaleString("en") + " " + (count === 1 ? what : many);
}

/* The address of a page or of the API; empty values are left out. */
export function address(path, values) {
  const told = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return told.length ? path + "?" + new URLSearchParams(told) : path;
}

export function pairValues({ source, target }) {
  return { source: source.name, source_type: source.type, target: target.name, target_type: target.type };
}
