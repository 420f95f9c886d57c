/* A node on its own: how many links it has, its group, its neighbours in the drawing and its proposed links. */

const MOST_NAMED = 60;

/* All that the page knows of its nodes, by number and by name. */
class Nodes {
  constructor(links, network) {
    this.network = network;
    this.byNumber = new Map();
    this.byName = new Map();
    for (const link of links) {
      this.add(link, link.source, link.from, link.ends?.[0]);
      this.add(link, link.target, link.to, link.ends?.[1]);
    }
  }

  add(link, name, element, n) {
    if (!this.byName.has(name)) {
      const node = { n, name, element, links: [] };
      this.byName.set(name, node);
      if (n !== undefined) this.byNumber.set(n, node);
    }
    this.byName.get(name).links.push(link);
  }

  /* One that is drawn but is no end of a link has only what the drawing says. */
  get(n) {
    return this.byNumber.get(n) || { n, name: null, element: made("bdi", {}, this.network.nodes.get(n).name), links: [] };
  }
}

/* `opened` is called with a node, `chosen` with a link, `restricted` with a name, `closed` with nothing. */
function showNode(panel, nodes, node, { opened, chosen, restricted, closed }) {
  const drawn = node.n === undefined ? null : nodes.network?.nodes.get(node.n);
  const only = made("button", { type: "button" }, "List only its links");
  only.addEventListener("click", () => restricted(node.name));
  const close = made("button", { type: "button", "aria-label": "Close", class: "close" }, "×");
  close.addEventListener("click", closed);
  const facts = [nodes.network && node.n !== undefined ? counted(nodes.network.degrees[node.n], "recorded link") : null,
    drawn ? drawn.group : "not in the drawing"].filter(Boolean).join(" · ");
  panel.replaceChildren(
    made("div", { class: "top" }, made("h3", {}, node.element.cloneNode(true)), ...(node.links.length ? [only] : []), close),
    made("p", {}, facts), ...proposedList(node, chosen), ...neighbourList(nodes, node, drawn, opened));
  panel.hidden = false;
}

function proposedList(node, chosen) {
  if (!node.links.length) return [];
  const items = node.links.slice(0, MOST_NAMED).map((link) => {
    const other = link.source === node.name ? link.to : link.from;
    const button = made("button", { type: "button" }, other.cloneNode(true));
    button.addEventListener("click", () => chosen(link));
    return made("li", {}, button, " " + standing(link));
  });
  return [made("h4", {}, counted(node.links.length, "proposed link")), made("ul", { class: "partners" }, ...items, ...rest(node.links.length))];
}

function neighbourList(nodes, node, drawn, opened) {
  const others = drawn ? nodes.network.neighbours.get(node.n) : [];
  if (!drawn) return [];
  const all = nodes.network.degrees[node.n];
  if (!others.length) return [made("h4", {}, all ? "Its recorded neighbours are not in the drawing" : "No recorded link")];
  const items = others.slice(0, MOST_NAMED).map((n) => {
    const button = made("button", { type: "button" }, nodes.get(n).element.cloneNode(true));
    button.addEventListener("click", () => opened(n));
    return made("li", {}, button);
  });
  const words = (others.length < all ? `${others.length.toLocaleString("en")} of ` : "") + counted(all, "recorded neighbour");
  return [made("h4", {}, others.length < all ? words + ", in the drawing" : words), made("ul", { class: "partners" }, ...items, ...rest(others.length))];
}

function rest(count) {
  return count > MOST_NAMED ? [made("li", {}, `and ${(count - MOST_NAMED).toLocaleString("en")} more`)] : [];
}
