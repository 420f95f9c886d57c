/* A node on its own: how many links it has, its group, its neighbours in the drawing and its proposed links. */

const MOST_NAMED = 60;

/* All that the page knows of its nodes, by number and by name, with its type where a name is not that of one node. */
class Nodes {
  constructor(links, network) {
    this.network = network;
    this.byNumber = new Map();
    this.byKey = new Map();
    for (const link of links) {
      this.add(link, link.keys[0], link.from, link.ends?.[0]);
      this.add(link, link.keys[1], link.to, link.ends?.[1]);
    }
  }

  add(link, key, element, n) {
    if (!this.byKey.has(key)) {
      const node = { n, key, element, links: [] };
      this.byKey.set(key, node);
      if (n !== undefined) this.byNumber.set(n, node);
    }
    this.byKey.get(key).links.push(link);
  }

  /* One that is drawn but is no end of a link has only what the drawing says. */
  get(n) {
    return this.byNumber.get(n) || { n, key: null, element: made("bdi", {}, this.network.nodes.get(n).name), links: [] };
  }
}

/* `opened` is called with a node, `chosen` with a link, `restricted` with a node, `closed` with nothing. */
function showNode(panel, nodes, node, { opened, chosen, restricted, closed }) {
  const drawn = node.n === undefined ? null : nodes.network?.nodes.get(node.n);
  const only = made("button", { type: "button" }, "List only its links");
  only.addEventListener("click", () => restricted(node));
  const close = made("button", { type: "button", "aria-label": "Close", class: "close" }, "×");
  close.addEventListener("click", closed);
  const facts = [nodes.network && node.n !== undefined ? linksOf(nodes.network, node.n) : null,
    drawn ? groupWords(drawn.group) : "not in the drawing"].filter(Boolean).join(" · ");
  panel.replaceChildren(
    made("div", { class: "top" }, made("h3", {}, node.element.cloneNode(true)), ...(node.links.length ? [only] : []), close),
    made("p", {}, facts), ...proposedList(node, chosen), ...neighbourList(nodes, node, drawn, opened));
  panel.hidden = false;
}

function linksOf(network, n) {
  if (!network.from) return counted(network.degrees[n], "recorded link");
  return `${counted(network.from[n], "link")} from it, ${(network.degrees[n] - network.from[n]).toLocaleString("en")} to it`;
}

/* A group by its number, or a type by its name, which the legend has. */
function groupWords(group) {
  const type = document.querySelector(`.key.group[data-group="${group}"] bdi.type`);
  if (type) return type.textContent;
  return group ? "group " + group : document.querySelector("bdi.type") ? "another type" : "in no large group";
}

function proposedList(node, chosen) {
  if (!node.links.length) return [];
  const items = node.links.slice(0, MOST_NAMED).map((link) => {
    const begins = link.keys[0] === node.key;
    const button = made("button", { type: "button" }, (begins ? link.to : link.from).cloneNode(true));
    button.addEventListener("click", () => chosen(link));
    return made("li", {}, ...(link.between === ARROW ? [begins ? "→ " : "← "] : []), button, " " + standing(link));
  });
  return [made("h4", {}, counted(node.links.length, "proposed link")), made("ul", { class: "partners" }, ...items, ...rest(node.links.length))];
}

function neighbourList(nodes, node, drawn, opened) {
  if (!drawn) return [];
  const { network } = nodes, all = network.degrees[node.n];
  if (!all || !network.neighbours.get(node.n).length) return [made("h4", {}, all ? "Its recorded neighbours are not in the drawing" : "No recorded link")];
  if (!network.from) return partners(nodes, network.neighbours.get(node.n), all, "recorded neighbour", opened);
  const begun = network.from[node.n];
  return [...partners(nodes, network.targets.get(node.n), begun, "link from it", opened, "links from it"),
    ...partners(nodes, network.sources.get(node.n), all - begun, "link to it", opened, "links to it")];
}

/* Those of `all` that are drawn. */
function partners(nodes, others, all, one, opened, many) {
  if (!others.length) return [];
  const items = others.slice(0, MOST_NAMED).map((n) => {
    const button = made("button", { type: "button" }, nodes.get(n).element.cloneNode(true));
    button.addEventListener("click", () => opened(n));
    return made("li", {}, button);
  });
  const words = (others.length < all ? `${others.length.toLocaleString("en")} of ` : "") + counted(all, one, many);
  return [made("h4", {}, others.length < all ? words + ", in the drawing" : words), made("ul", { class: "partners" }, ...items, ...rest(others.length))];
}

function rest(count) {
  return count > MOST_NAMED ? [made("li", {}, `and ${(count - MOST_NAMED).toLocaleString("en")} more`)] : [];
}
