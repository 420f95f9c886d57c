/* The drawing of another page of this server, which drew it with all names as text. */

import { page } from "./api.js";
import { made, one } from "./dom.js";

export async function drawingOf(path) {
  const figure = one("figure.surroundings", await page(path));
  return figure ? document.importNode(figure, true) : made("p", {}, "Nothing lies around these nodes.");
}
