/* Names in the drawing, as large on the screen at every zoom: as many as have room, the most important first. */

const LABEL_PIXELS = 12;
const MOST_LABELS = 110;
const CELL = 40;

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(node) {
  if (node.labelWidth === undefined) {
    ruler.font = "100px system-ui, sans-serif";
    node.labelWidth = ruler.measureText(node.label).width / 100;
  }
  return node.labelWidth;
}

/* Boxes on the screen, found again by the cells of a grid that they lie in. */
class Boxes {
  constructor() {
    this.cells = new Map();
  }

  *cellsOf([left, top, right, bottom]) {
    for (let i = Math.floor(left / CELL); i <= Math.floor(right / CELL); i++) {
      for (let j = Math.floor(top / CELL); j <= Math.floor(bottom / CELL); j++) yield i + "," + j;
    }
  }

  add(box, owner) {
    for (const cell of this.cellsOf(box)) {
      if (!this.cells.has(cell)) this.cells.set(cell, []);
      this.cells.get(cell).push([box, owner]);
    }
  }

  touches(box, owner) {
    for (const cell of this.cellsOf(box)) {
      for (const [other, of] of this.cells.get(cell) || []) {
        const apart = other[0] >= box[2] || other[2] <= box[0] || other[1] >= box[3] || other[3] <= box[1];
        if (!apart && of !== owner) return true;
      }
    }
    return false;
  }
}

/* nodes: most important first; bold: those that get a name in any case. */
function drawLabels(group, view, nodes, bold) {
  const scale = view.pixels * view.zoom;
  const shown = nodes.filter((node) => view.shows([node.x, node.y]));
  const names = new Boxes(), dots = new Boxes();
  for (const node of shown) {
    const [x, y, r] = [node.x * scale, node.y * scale, node.r * scale];
    dots.add([x - r, y - r, x + r, y + r], node);
  }
  const texts = [];
  for (const node of [...shown.filter((own) => bold.has(own)), ...shown.filter((own) => !bold.has(own))]) {
    if (texts.length >= MOST_LABELS) break;
    const places = spots(node, scale);
    if (isLeft(node, bold)) [places[0], places[1]] = [places[1], places[0]];
    const roomy = places.filter(([, , , box]) => isInside(box, view) && !names.touches(box, node));
    const spot = roomy.find(([, , , box]) => !dots.touches(box, node)) || (bold.has(node) && roomy[0])
      || (bold.has(node) && bold.size <= 2 && places[0]);
    if (!spot) continue;
    const [x, y, anchor, box] = spot;
    names.add(box, node);
    const text = madeSvg("text", { x: x / scale, y: y / scale, "text-anchor": anchor });
    if (bold.has(node)) text.classList.add("bold");
    text.textContent = node.label;
    texts.push(text);
  }
  group.setAttribute("font-size", LABEL_PIXELS / scale);
  group.setAttribute("stroke-width", 3 / scale);
  group.replaceChildren(...texts);
}

/* Whether a node is the left one of a lit pair: its name would cover the line if it stood right of it. */
function isLeft(node, bold) {
  return bold.size === 2 && bold.has(node) && Array.from(bold).every((other) => node.x <= other.x);
}

function isInside([left, top, right, bottom], view) {
  const [x, y] = [view.x * view.pixels, view.y * view.pixels];
  return left + x >= 0 && top + y >= 0 && right + x <= view.width * view.pixels && bottom + y <= view.height * view.pixels;
}

/* Where a name can stand, in pixels: right of its node, left, above, below. */
function spots(node, scale) {
  const width = widthOf(node) * LABEL_PIXELS + 2;
  const [x, y, gap] = [node.x * scale, node.y * scale, node.r * scale + 3];
  return [[x + gap, y + 4, "start", x + gap], [x - gap, y + 4, "end", x - gap - width],
    [x, y - gap - 2, "middle", x - width / 2], [x, y + gap + 10, "middle", x - width / 2],
  ].map(([at, base, anchor, left]) => [at, base, anchor, [left, base - 10, left + width, base + 3]]);
}
