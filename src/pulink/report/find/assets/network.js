/* The drawing: its nodes and lines, which of them are lit, and which one was meant by a click. */

const NEAR_ENOUGH = 9;
// A line of fewer pixels between its nodes is not seen, or only its head is: it is made so long, by zooming in.
const HIDDEN = 10, ALL_HEAD = 36, SEEN = 90;
// Pixels for a unit of the drawing in a wide window; in narrower ones nodes are drawn larger.
const ROOMY = 0.62;

class Network {
  constructor(canvas, { chosen, opened, left }) {
    this.svg = canvas.querySelector("svg.network");
    this.degrees = this.svg.dataset.degrees.split(" ").map(Number);
    this.head = Number(this.svg.dataset.head ?? 0);
    this.from = this.head ? this.svg.dataset.from.split(" ").map(Number) : null;
    this.nodes = new Map();
    for (const mark of this.svg.querySelectorAll("[data-n]")) this.addNode(mark);
    this.readEdges();
    this.lines = new Map(Array.from(this.svg.querySelectorAll("path[data-link]"), (path) => [Number(path.dataset.link), path]));
    this.heads = new Map(Array.from(this.svg.querySelectorAll("path[data-of]"), (path) => [Number(path.dataset.of), path]));
    this.recordedHeads = this.svg.querySelector(".heads");
    this.recorded = this.recordedHeads ? this.readRecorded() : [];
    this.lit = { recorded: [], proposed: [] };
    this.bold = new Set();
    this.tell = { chosen, opened, left };
    this.overlay = madeSvg("g", { class: "overlay" });
    this.svg.querySelector(".nodes").before(this.overlay);
    this.names = this.svg.querySelector(".names");
    this.growth = 1;
    this.view = new View(canvas, this.svg, { moved: () => this.moved(), tapped: (point) => this.tap(point) });
  }

  addNode(mark) {
    const n = Number(mark.dataset.n), name = nameOf(mark), place = placeOf(mark);
    const group = Number(/\bg(\d+)/.exec(mark.getAttribute("class"))[1]);
    this.nodes.set(n, { mark, name, label: clipped(name), group, size: place.r, n, ...place });
  }

  /* `neighbours` by node; of a directed graph `targets`, to which it links, and `sources`, which link to it. */
  readEdges() {
    const empty = () => new Map(Array.from(this.nodes.keys(), (n) => [n, []]));
    [this.targets, this.sources, this.neighbours] = [empty(), empty(), empty()];
    for (const part of this.svg.dataset.edges.split(";").filter(Boolean)) {
      const [node, others] = part.split(":");
      for (const other of others.split(" ").map(Number)) {
        this.targets.get(Number(node)).push(other);
        this.sources.get(other).push(Number(node));
      }
    }
    for (const n of this.nodes.keys()) this.neighbours.set(n, Array.from(new Set([...this.sources.get(n), ...this.targets.get(n)])));
  }

  /* The recorded links that are drawn, by the places of their ends. */
  readRecorded() {
    const at = new Map(Array.from(this.nodes.values(), (node) => [`${node.x} ${node.y}`, node]));
    const lines = this.svg.querySelector(".observed").getAttribute("d").split("M").filter(Boolean);
    return lines.map((line) => line.split("L").map((place) => at.get(place.split(" ").map(Number).join(" "))));
  }

  /* A link as a line of the drawing; null if one of its ends is not drawn. */
  lineOf(link) {
    const ends = (link.ends || []).map((n) => this.nodes.get(n));
    if (ends.length < 2 || ends.includes(undefined)) return null;
    return [...ends, this.lines.get(link.place)?.getAttribute("d").includes("Q") ?? false];
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
    for (const link of this.links) {
      for (const paths of [this.lines, this.heads]) paths.get(link.place)?.classList.toggle("off", !this.listed.has(link));
    }
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
        resize(node);
      }
      this.growth = growth;
      this.drawHeads();
    }
    if (this.order) drawLabels(this.names, this.view, this.order, this.bold);
  }

  /* They grow as nodes do. */
  drawHeads() {
    if (!this.head) return;
    const size = this.head * this.growth;
    const all = (lines, larger = 1) => lines.map((line) => headPath(line, larger * size)).join("");
    this.recordedHeads?.setAttribute("d", all(this.recorded));
    for (const link of this.links || []) this.heads.get(link.place)?.setAttribute("d", headPath(this.lineOf(link), size));
    this.overlay.querySelector(".head.recorded")?.setAttribute("d", all(this.lit.recorded));
    this.overlay.querySelector(".head.chosen")?.setAttribute("d", all(this.lit.proposed, 1.4));
  }

  tap(point) {
    const far = NEAR_ENOUGH / (this.view.pixels * this.view.zoom);
    const node = nearest(this.nodes.values(), (own) => Math.hypot(own.x - point[0], own.y - point[1]) - own.r, far / 2);
    if (node) return this.tell.opened(node.n);
    const drawn = this.links.filter((link) => this.lines.has(link.place) && this.listed.has(link));
    const link = nearest(drawn, (own) => distanceTo(point, this.lineOf(own)), far);
    return link ? this.tell.chosen(link) : this.tell.left();
  }

  /* Light a link; false if one of its ends is not drawn. */
  lightLink(link) {
    const line = this.lineOf(link);
    if (!line) {
      this.dark();
      return false;
    }
    const [a, b] = line;
    this.light([a, b], [], [line]);
    const between = Math.hypot(a.x - b.x, a.y - b.y), pixels = this.view.pixels * this.view.zoom;
    if ((between - a.r - b.r) * pixels < (this.head ? ALL_HEAD : HIDDEN)) this.view.fit([[a.x, a.y], [b.x, b.y]], Math.min(LARGEST_FIT, SEEN / (between * this.view.pixels)));
    return true;
  }

  /* Light a node, its recorded and its proposed links. */
  lightNode(n, links) {
    const node = this.nodes.get(n);
    if (!node) return this.dark();
    const recorded = [...this.sources.get(n).map((other) => [this.nodes.get(other), node]),
      ...this.targets.get(n).map((other) => [node, this.nodes.get(other)])];
    const proposed = links.map((link) => this.lineOf(link)).filter(Boolean);
    const around = [node, ...[...recorded, ...proposed].flatMap(([a, b]) => [a, b])];
    this.light(around, recorded, proposed);
    this.view.fit(around.map(({ x, y }) => [x, y]));
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
    for (const node of lit) node.mark.classList.add("lit");
    this.overlay.append(madeSvg("path", { class: "recorded", d: pathOf(recorded) }), madeSvg("path", { class: "chosen", d: pathOf(proposed) }));
    this.lit = { recorded, proposed };
    if (this.head) this.overlay.append(madeSvg("path", { class: "head recorded" }), madeSvg("path", { class: "head chosen" }));
    this.drawHeads();
    this.bold = lit;
    if (lit.size <= 2) this.view.reveal(nodes.map((node) => [node.x, node.y]));
    this.moved();
  }

  dark() {
    this.svg.classList.remove("focus");
    for (const mark of this.svg.querySelectorAll(".nodes .lit")) mark.classList.remove("lit");
    this.overlay.replaceChildren();
    this.lit = { recorded: [], proposed: [] };
    this.bold = new Set();
    this.moved();
  }
}

function pathOf(lines) {
  return lines.map(linePath).join("");
}

/* In a title, what is said of a node follows its name; where that may be anybody's text, the name stands apart. */
function nameOf(mark) {
  const apart = mark.querySelector("desc");
  if (apart) return apart.textContent;
  return /^([^]*): [\d,]+ recorded links?, (?:group \d+|in no large group)$/.exec(mark.querySelector("title").textContent)[1];
}

const HALF_SIDE = 0.886;

/* The middle and the radius of a circle, or of a square as large as one. */
function placeOf(mark) {
  const value = (name) => Number(mark.getAttribute(name));
  if (mark.tagName === "circle") return { x: value("cx"), y: value("cy"), r: value("r") };
  const half = value("width") / 2;
  return { x: value("x") + half, y: value("y") + half, r: half / HALF_SIDE };
}

function resize({ mark, x, y, r }) {
  if (mark.tagName === "circle") return mark.setAttribute("r", r);
  const half = HALF_SIDE * r;
  for (const [name, value] of Object.entries({ x: x - half, y: y - half, width: 2 * half, height: 2 * half })) mark.setAttribute(name, value);
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
