/* The list, the drawing and the panel of a node, tied together. */

class Work {
  constructor(table) {
    const canvas = document.querySelector("#drawing .canvas");
    const steps = { chosen: (link) => this.choose(link), left: () => this.leave() };
    this.network = canvas && new Network(canvas, { ...steps, opened: (n) => this.open(this.nodes.get(n)) });
    this.panel = document.getElementById("node");
    this.status = document.getElementById("chosen");
    this.node = null;
    this.list = new LinkList(table, { ...steps, opened: (key) => this.open(this.nodes.byKey.get(key)),
      changed: (found) => this.network?.links && this.network.list(found) });
    this.nodes = new Nodes(this.list.links, this.network);
    this.network?.rank(this.list.links);
    this.listen();
  }

  listen() {
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
    });
    for (const button of document.querySelectorAll("[data-download]")) {
      button.addEventListener("click", () => download(this.list.found, button.dataset.download, endNames(this.list.table)));
    }
    for (const entry of document.querySelectorAll(".key.group")) {
      const button = made("button", { type: "button", class: entry.className, title: "Show this group", "data-group": entry.dataset.group }, ...entry.childNodes);
      button.addEventListener("click", () => this.showGroup(Number(entry.dataset.group)));
      entry.replaceWith(button);
    }
  }

  choose(link) {
    this.list.mark(link);
    if (!this.network) return;
    if (this.node && !this.node.links.includes(link)) this.closeNode();
    const drawn = this.network.lightLink(link);
    const [of, to] = link.types.map((type) => type === null ? "" : ` (${type})`);
    this.say(link.from.cloneNode(true), of, link.between, link.to.cloneNode(true), to + ": " + standing(link)
      + (drawn ? "" : ". This pair is not in the drawing."));
  }

  open(node) {
    if (!this.panel) return;
    this.list.mark(null);
    this.node = node;
    this.say();
    this.network.lightNode(node.n, node.links);
    showNode(this.panel, this.nodes, node, {
      opened: (n) => this.open(this.nodes.get(n)), chosen: (link) => this.choose(link),
      restricted: (own) => this.list.restrict(own), closed: () => this.leave() });
    this.panel.scrollTop = 0;
    this.panel.focus({ preventScroll: true });
  }

  showGroup(group) {
    this.leave();
    this.network.lightGroup(group);
    const words = groupWords(group);
    this.say(words === "group " + group ? "Group " + group : words);
  }

  leave() {
    const inside = this.panel?.contains(document.activeElement);
    this.list.mark(null);
    this.closeNode();
    this.network?.dark();
    this.say();
    if (inside) this.list.current?.row.focus({ preventScroll: true });
  }

  closeNode() {
    this.node = null;
    if (this.list.only !== null) this.list.restrict(null);
    if (this.panel) this.panel.hidden = true;
  }

  say(...parts) {
    this.status?.replaceChildren(...parts);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.links");
  if (table) new Work(table);
});
