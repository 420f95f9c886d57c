/* Names of nodes that begin with or hold what was typed, as suggestions of the browser. */

import { getJson } from "./api.js";
import { address, all, made } from "./dom.js";

for (const input of all("[data-suggest]")) {
  let later = 0;
  let asked = "";
  input.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(async () => {
      const text = asked = input.value;
      if (!text) return;
      const { nodes } = await getJson(address("/api/nodes", { q: text, size: 20 })).catch(() => ({ nodes: [] }));
      if (text === asked) input.list.replaceChildren(...nodes.map(({ name }) => made("option", { value: name })));
    }, 200);
  });
}
