/* The drawing: its nodes and lines, which of them are lit, and which one was meant by a click. */

const NEAR_ENOUGH = 9;
// A line of fewer pixels between its nodes is not seen: it is made so long, by zooming in.
const HIDDEN = 10, SEEN = 90;
// Pixels for a unit of the drawing in a wide window; in narrower ones nodes are drawn larger.
const ROOMY = 0.62;

class Network {
  constructor(canvas, { chosen, opened, left }) {
    this.svg = canvas.querySelector("svg.network");
    this.degrees = this.svg.dataset.degrees.split(" ").map(Number);
    this.nodes = new Map();
    for (const circle of this.svg.querySelectorAll("circle[data-n]")) this.addNode(circle);
    this.neighbours = this.readEdges();
    this.lines = new Map(Array.from(this.svg.querySelectorAll("path[data-link]"), (path) => [Number(path.dataset.link), path]));
    this.bold = new Set();
    this.tell = { chosen, opened, left };
    this.overlay = madeSvg("g", { class: "overlay" });
    this.svg.querySelector(".nodes").before(this.overlay);
    this.names = this.svg.querySelector(".names");
    this.growth = 1;
    this.view = new View(canvas, this.svg, { moved: () => this.moved(), tapped: (point) => this.tap(point) });
  }

  addNode(circle) {
    const title = circle.querySelector("title").textContent;
    const [, name, group] = /^([^]*): [\d,]+ recorded links?, (group \d+|in no large group)$/.exec(title);
    const size = Number(circle.getAttribute("r"));
    this.nodes.set(Number(circle.dataset.n), { circle, name, label: clipped(name), group, size, r: size, n: Number(circle.dataset.n),
      x: Number(circle.getAttribute("cx")), y: Number(circle.getAttribute("cy")) });
  }

  readEdges() {
    const found = new Map(Array.from(this.nodes.keys(), (n) => [n, []]));
    for (const part of this.svg.dataset.edges.split(";").filter(Boolean)) {
      const [node, others] = part.split(":");
      for (const other of others.split(" ").map(Number)) {
        found.get(Number(node)).push(other);
        found.get(other).push(Number(node));
      }
    }
    return found;
  }

  /* Which nodes are named first: ends of the likeliest links, then those with many links. */
  rank(links) {
    const ends = links.flatMap((link) => link.ends || []);
    const others = Array.from(this.nodes.keys()).sort((a, b) => this.degrees[b] - this.degrees[a] || a - b);
    this.order = Array.from(new Set([...ends, ...others]), (n) => this.nodes.get(n)).filter(Boolean);
    this.links = links;
    this.listed = new Set(links);
    this.moved();
  }

  /* Lines of links that are not listed are left out. */
  list(found) {
    this.listed = new Set(found);
    for (const link of this.links) this.lines.get(link.place)?.classList.toggle("off", !this.listed.has(link));
  }

  moved() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  /* Nodes grow more slowly than the distances between them. */
  draw() {
    const { zoom } = this.view;
    const growth = Math.max(1, Math.min(2, ROOMY / this.view.pixels)) / Math.pow(zoom, 0.6);
    if (growth !== this.growth) {
      for (const node of this.nodes.values()) {
        node.r = node.size * growth;
        node.circle.setAttribute("r", node.r);
      }
      this.growth = growth;
    }
    if (this.order) drawLabels(this.names, this.view, this.order, this.bold);
  }

  tap(point) {
    const far = NEAR_ENOUGH / (this.view.pixels * this.view.zoom);
    const node = nearest(this.nodes.values(), (own) => Math.hypot(own.x - point[0], own.y - point[1]) - own.r, far / 2);
    if (node) return this.tell.opened(node.n);
    const drawn = this.links.filter((link) => this.lines.has(link.place) && this.listed.has(link));
    const link = nearest(drawn, (own) => distance(point, ...own.ends.map((n) => this.nodes.get(n))), far);
    return link ? this.tell.chosen(link) : this.tell.left();
  }

  /* Light a link; false if one of its ends is not drawn. */
  lightLink(link) {
    const ends = (link.ends || []).map((n) => this.nodes.get(n));
    if (ends.length < 2 || ends.includes(undefined)) {
      this.dark();
      return false;
    }
    this.light(ends, [], [ends]);
    const [a, b] = ends;
    const between = Math.hypot(a.x - b.x, a.y - b.y), pixels = this.view.pixels * this.view.zoom;
    if ((between - a.r - b.r) * pixels < HIDDEN) this.view.fit([[a.x, a.y], [b.x, b.y]], Math.min(LARGEST_FIT, SEEN / (between * this.view.pixels)));
    return true;
  }

  /* Light a node, its recorded and its proposed links. */
  lightNode(n, links) {
    const node = this.nodes.get(n);
    if (!node) return this.dark();
    const recorded = this.neighbours.get(n).map((other) => [node, this.nodes.get(other)]);
    const proposed = links.map((link) => link.ends.map((end) => this.nodes.get(end))).filter((pair) => !pair.includes(undefined));
    this.light([node, ...recorded.map(([, other]) => other), ...proposed.flat()], recorded, proposed);
    this.view.fit([node, ...recorded.map(([, other]) => other), ...proposed.flat()].map(({ x, y }) => [x, y]));
    return true;
  }

  lightGroup(group) {
    this.light(Array.from(this.nodes.values()).filter((node) => node.group === group), [], []);
    this.bold = new Set();
  }

  light(nodes, recorded, proposed) {
    this.dark();
    this.svg.classList.add("focus");
    const lit = new Set(nodes);
    for (const node of lit) node.circle.classList.add("lit");
    this.overlay.append(madeSvg("path", { class: "recorded", d: pathOf(recorded) }), madeSvg("path", { class: "chosen", d: pathOf(proposed) }));
    this.bold = lit;
    if (lit.size <= 2) this.view.reveal(nodes.map((node) => [node.x, node.y]));
    this.moved();
  }

  dark() {
    this.svg.classList.remove("focus");
    for (const circle of this.svg.querySelectorAll("circle.lit")) circle.classList.remove("lit");
    this.overlay.replaceChildren();
    this.bold = new Set();
    this.moved();
  }
}

function pathOf(pairs) {
  return pairs.map(([a, b]) => `M${a.x} ${a.y}L${b.x} ${b.y}`).join("");
}

/* The nearest of those that are nearer than `far`. */
function nearest(things, distanceTo, far) {
  let best = null, least = far;
  for (const thing of things) {
    const own = distanceTo(thing);
    if (own < least) [best, least] = [thing, own];
  }
  return best;
}

/* From a point to the line between two nodes. */
function distance([x, y], a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const along = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - a.x - along * dx, y - a.y - along * dy);
}
