/* Lines with a direction: the same curves and heads as in pulink.report.find.arrows. Points are { x, y }. */

const BEND = 0.22, SLIM = 0.4;

function controlPoint(a, b) {
  return { x: (a.x + b.x) / 2 + BEND * (b.y - a.y), y: (a.y + b.y) / 2 - BEND * (b.x - a.x) };
}

function linePath([a, b, bent]) {
  if (!bent) return `M${a.x} ${a.y}L${b.x} ${b.y}`;
  const c = controlPoint(a, b);
  return `M${a.x} ${a.y}Q${c.x} ${c.y} ${b.x} ${b.y}`;
}

/* The head of a line that ends at the border of node b. */
function headPath([a, b, bent], size) {
  const begin = bent ? controlPoint(a, b) : a;
  const length = Math.hypot(b.x - begin.x, b.y - begin.y) || 1;
  const [dx, dy] = [(b.x - begin.x) / length, (b.y - begin.y) / length];
  const [x, y] = [b.x - b.r * dx, b.y - b.r * dy];
  const [baseX, baseY, side] = [x - size * dx, y - size * dy, SLIM * size];
  const at = (...numbers) => numbers.map((own) => own.toFixed(2)).join(" ");
  return `M${at(x, y)}L${at(baseX - side * dy, baseY + side * dx)}L${at(baseX + side * dy, baseY - side * dx)}Z`;
}

/* From a point to a line, which may be bent: then it is two straight ones. */
function distanceTo(point, [a, b, bent]) {
  if (!bent) return distance(point, a, b);
  const c = controlPoint(a, b);
  const middle = { x: (a.x + 2 * c.x + b.x) / 4, y: (a.y + 2 * c.y + b.y) / 4 };
  return Math.min(distance(point, a, middle), distance(point, middle, b));
}
