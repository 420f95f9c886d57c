/* Zoom and pan: which part of the drawing is in its window. Points are in the units of the SVG's view box. */

const LARGEST_ZOOM = 40;
const LARGEST_FIT = 6;
const STEP = 1.5;
// Room for names around what is brought into view.
const SPARE = 20;

/* `moved` is called after the part in view has changed, `tapped` with a point of the drawing. */
class View {
  constructor(canvas, svg, { moved, tapped }) {
    this.canvas = canvas;
    this.svg = svg;
    this.stage = svg.querySelector(".stage");
    this.width = svg.viewBox.baseVal.width;
    this.height = svg.viewBox.baseVal.height;
    this.zoom = 1;
    this.x = this.y = 0;
    this.tell = { moved, tapped };
    this.drag = null;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Drawing. Plus and minus zoom, arrow keys move, zero shows all.");
    this.listen();
  }

  listen() {
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.pull(event));
    this.svg.addEventListener("pointerup", (event) => this.release(event));
    this.svg.addEventListener("pointercancel", () => { this.drag = null; });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    for (const button of this.canvas.querySelectorAll("[data-zoom]")) {
      button.addEventListener("click", () => this.pressButton(button.dataset.zoom));
    }
    new ResizeObserver(() => this.apply()).observe(this.svg);
  }

  /* Pixels of the screen for one unit of the view box. */
  get pixels() {
    return this.svg.getBoundingClientRect().width / this.width || 1;
  }

  point(event) {
    const box = this.svg.getBoundingClientRect();
    return [(event.clientX - box.left) / this.pixels, (event.clientY - box.top) / this.pixels];
  }

  /* From a point of the window to one of the drawing. */
  inside([x, y]) {
    return [(x - this.x) / this.zoom, (y - this.y) / this.zoom];
  }

  shows([x, y]) {
    const at = [x * this.zoom + this.x, y * this.zoom + this.y];
    return at[0] >= 0 && at[1] >= 0 && at[0] <= this.width && at[1] <= this.height;
  }

  wheel(event) {
    if (event.ctrlKey === false && event.deltaY > 0 && this.zoom === 1) return;
    event.preventDefault();
    this.zoomBy(Math.pow(2, -event.deltaY / 300), this.point(event));
  }

  press(event) {
    if (event.button !== 0) return;
    this.drag = { from: this.point(event), x: this.x, y: this.y, moved: false };
  }

  pull(event) {
    if (!this.drag) return;
    const [x, y] = this.point(event);
    const [dx, dy] = [x - this.drag.from[0], y - this.drag.from[1]];
    if (!this.drag.moved && Math.hypot(dx, dy) * this.pixels < 4) return;
    if (!this.drag.moved) this.svg.setPointerCapture(event.pointerId);
    this.drag.moved = true;
    this.moveTo(this.zoom, this.drag.x + dx, this.drag.y + dy);
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (drag && !drag.moved) this.tell.tapped(this.inside(this.point(event)));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = 80 / this.pixels;
    const moves = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    if (event.key === "+" || event.key === "=") this.zoomBy(STEP);
    else if (event.key === "-" || event.key === "_") this.zoomBy(1 / STEP);
    else if (event.key === "0") this.moveTo(1, 0, 0);
    else if (moves[event.key]) this.moveTo(this.zoom, this.x + moves[event.key][0], this.y + moves[event.key][1]);
    else return;
    event.preventDefault();
  }

  pressButton(what) {
    if (what === "all") this.moveTo(1, 0, 0);
    else this.zoomBy(what === "in" ? STEP : 1 / STEP);
  }

  zoomBy(factor, [x, y] = [this.width / 2, this.height / 2]) {
    const zoom = Math.max(1, Math.min(LARGEST_ZOOM, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.moveTo(zoom, x - (x - this.x) * ratio, y - (y - this.y) * ratio);
  }

  /* Bring points into view: nothing moves if they are, else they come to the middle, smaller if they must. */
  reveal(points) {
    if (!points.length || points.every((point) => this.shows(point))) return;
    this.fit(points, this.zoom);
  }

  /* Bring points to the middle, as large as they can be, but not larger than `largest`. */
  fit(points, largest = LARGEST_FIT) {
    const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const fits = 0.8 * Math.min(this.width / (right - left + SPARE), this.height / (bottom - top + SPARE));
    const zoom = Math.max(1, Math.min(largest, fits));
    this.moveTo(zoom, this.width / 2 - zoom * (left + right) / 2, this.height / 2 - zoom * (top + bottom) / 2);
  }

  moveTo(zoom, x, y) {
    this.zoom = zoom;
    this.x = Math.min(0, Math.max(this.width * (1 - zoom), x));
    this.y = Math.min(0, Math.max(this.height * (1 - zoom), y));
    this.apply();
  }

  apply() {
    this.stage.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.zoom})`);
    this.canvas.classList.toggle("zoomed", this.zoom > 1);
    this.tell.moved();
  }
}
