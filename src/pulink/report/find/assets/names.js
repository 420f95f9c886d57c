/* Texts of the page and new elements. A text from somebody's file is set as text only, never as HTML. */

/* A text as it was in the file: the page writes characters that cannot be seen as codes in <code> elements. */
function exactText(element) {
  let text = "";
  for (const part of element.childNodes) {
    if (part.nodeName === "CODE") text += String.fromCodePoint(parseInt(part.textContent.slice(2), 16));
    else text += part.nodeType === Node.TEXT_NODE ? part.data : exactText(part);
  }
  return text;
}

function foldCase(text) {
  return text.normalize("NFC").toLowerCase();
}

function counted(count, what, many = what + "s") {
  return count.toLocaleString("en") + " " + (count === 1 ? what : many);
}

function clipped(text, longest = 26) {
  const letters = Array.from(text);
  return letters.length <= longest ? text : letters.slice(0, longest - 1).join("") + "…";
}

/* An HTML element with attributes; parts are elements or texts. */
function made(tag, attributes, ...parts) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...parts);
  return element;
}

function madeSvg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
