/* The table of links: reading it, filtering, sorting, and moving through its rows. */

// Rows shown at first, and where the drawing stands above the list, as in answer.css.
const SHOWN_AT_FIRST = 100, SHOWN_IF_STACKED = 25;
const STACKED = "(max-width: 66rem)";

// Between the names of a pair that has a direction, of one whose ends have types, and of any other.
const ARROW = " → ", DASH = " – ", AND = " and ";

const collator = new Intl.Collator("en", { numeric: true });

function readLink(body, place) {
  const row = body.rows[0];
  const value = (selector) => row.querySelector(selector + " data");
  const [from, to] = row.querySelectorAll("td.end > bdi");
  const chance = value(".chance");
  const reasons = [...row.querySelectorAll(".main"), ...row.querySelectorAll("li")].map(exactText);
  return {
    place, body, row, from, to,
    source: exactText(from), target: exactText(to), keys: [from, to].map(keyOf), labels: [from, to].map(labelOf), types: [from, to].map(typeOf),
    between: betweenOf(row.closest("table")),
    ends: body.dataset.ends ? body.dataset.ends.split(" ").map(Number) : null,
    rank: Number(value(".rank").value), score: Number(value(".score").value), probability: Number(chance.value),
    written: { rank: value(".rank").value, probability: chance.value, score: value(".score").value,
      low: chance.dataset.low ?? "", high: chance.dataset.high ?? "" },
    sought: foldCase(from.textContent + "\n" + to.textContent),
    reasons,
  };
}

/* What tells a node from all others: its name, with its type where there is one. */
function keyOf(name) {
  const type = typeOf(name);
  return type === null ? exactText(name) : JSON.stringify([type, exactText(name)]);
}

function labelOf(name) {
  const type = typeOf(name);
  return type === null ? exactText(name) : type + ":" + exactText(name);
}

function typeOf(name) {
  const type = name.parentElement.querySelector(".type > bdi");
  return type && exactText(type);
}

function betweenOf(table) {
  return table.classList.contains("directed") ? ARROW : table.classList.contains("of-types") ? DASH : AND;
}

/* What the columns of the two ends are called in files. */
function endNames(table) {
  return ["source", "target"].map((end) => {
    const name = table.querySelector(`th[data-sort="${end}"] bdi`);
    return name ? exactText(name) : end;
  });
}

/* How good a link is, in words: its probability, or its score where probabilities are next to nothing. */
function standing(link) {
  const chance = link.row.querySelector("td.chance data");
  const number = chance ? chance.textContent : "score " + link.row.querySelector("td.score data").textContent;
  return `${number}, rank ${link.row.cells[0].textContent}`;
}

/* `chosen`, `opened` and `changed` are called with a link, with the key of a node, and when other links are listed. */
class LinkList {
  constructor(table, { chosen, opened, changed }) {
    this.table = table;
    this.links = Array.from(table.tBodies, readLink);
    this.order = this.links.slice();
    this.found = this.order;
    this.only = null;
    this.limit = matchMedia(STACKED).matches ? SHOWN_IF_STACKED : SHOWN_AT_FIRST;
    this.current = null;
    this.tell = { chosen, opened, changed };
    this.search = document.getElementById("search");
    this.least = document.getElementById("least");
    this.more = document.getElementById("more");
    this.byBody = new Map(this.links.map((link) => [link.body, link]));
    table.setAttribute("role", "grid");
    table.parentElement.removeAttribute("tabindex");
    this.links.forEach(makeReachable);
    this.listen();
    this.show();
  }

  listen() {
    for (const header of this.table.querySelectorAll("th[data-sort]")) {
      wrapInButton(header).addEventListener("click", () => this.sort(header));
    }
    this.table.addEventListener("click", (event) => this.click(event));
    this.table.addEventListener("keydown", (event) => this.key(event));
    const form = document.getElementById("tools");
    form.addEventListener("input", () => this.show());
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => this.restrict(null)));
    this.more.addEventListener("click", () => {
      this.limit = Infinity;
      this.show();
    });
    addEventListener("beforeprint", () => {
      for (const folded of this.table.querySelectorAll("details")) folded.open = true;
    });
  }

  show() {
    const wanted = foldCase(this.search.value.trim());
    const lowest = (this.least && Number(this.least.value) || 0) / 100;
    this.found = this.order.filter((link) => link.probability >= lowest && link.sought.includes(wanted)
      && (this.only === null || link.keys.includes(this.only.key)));
    const shown = new Set(this.found.slice(0, this.limit));
    for (const link of this.links) link.body.hidden = !shown.has(link);
    this.more.hidden = this.found.length <= this.limit;
    this.more.textContent = "Show all " + this.found.length.toLocaleString("en") + " rows";
    document.getElementById("count").textContent = this.inWords();
    if (!this.current || this.current.body.hidden) this.rove(this.found[0] || null);
    this.tell.changed(this.found);
  }

  inWords() {
    const all = counted(this.links.length, "link");
    if (this.found.length === this.links.length) return all;
    const of = this.only === null ? "" : " with " + clipped(exactText(this.only.element));
    return this.found.length.toLocaleString("en") + " of " + all + of;
  }

  /* To the links of one node; null for all. */
  restrict(node) {
    this.only = node;
    this.show();
  }

  sort(header) {
    const sign = turn(header) === "ascending" ? 1 : -1;
    const by = header.dataset.sort;
    const compare = by === "source" || by === "target" ? (a, b) => collator.compare(a[by], b[by]) : (a, b) => a[by] - b[by];
    this.order.sort((a, b) => sign * compare(a, b) || a.place - b.place);
    this.table.append(...this.order.map((link) => link.body));
    this.show();
  }

  click(event) {
    const body = event.target.closest("tbody");
    const link = this.byBody.get(body);
    if (!link) return;
    const name = event.target.closest("button.name");
    if (name) this.tell.opened(name.contains(link.from) ? link.keys[0] : link.keys[1]);
    else if (getSelection().isCollapsed || event.target.closest("summary")) this.tell.chosen(link);
  }

  key(event) {
    const link = this.byBody.get(event.target.closest("tbody"));
    if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
    const listed = this.found.filter((other) => !other.body.hidden);
    const at = listed.indexOf(link);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: listed.length - 1 }[event.key];
    if (next !== undefined) {
      const other = listed[Math.max(0, Math.min(next, listed.length - 1))];
      this.tell.chosen(other);
      other.row.focus({ preventScroll: true });
    } else if (event.key === "Enter" && event.target === link.row) {
      this.tell.chosen(link);
      const folded = link.row.querySelector("details");
      if (folded) folded.open = !folded.open;
    } else {
      return;
    }
    event.preventDefault();
  }

  /* Mark a link, or none, and bring its row into view. */
  mark(link) {
    for (const row of this.table.querySelectorAll("tr.chosen")) {
      row.classList.remove("chosen");
      row.setAttribute("aria-selected", "false");
    }
    if (!link) return;
    this.reveal(link);
    link.row.classList.add("chosen");
    link.row.setAttribute("aria-selected", "true");
    this.rove(link);
    link.row.scrollIntoView({ block: "nearest" });
  }

  reveal(link) {
    if (!this.found.includes(link)) {
      document.getElementById("tools").reset();
      this.only = null;
      this.show();
    }
    if (link.body.hidden) {
      this.limit = Infinity;
      this.show();
    }
  }

  /* Of all rows the keyboard reaches one, and from there the others. */
  rove(link) {
    if (this.current) setReach(this.current, "-1");
    this.current = link;
    if (link) setReach(link, "0");
  }
}

function makeReachable(link) {
  for (const name of [link.from, link.to]) {
    const button = made("button", { type: "button", class: "name", title: "Its neighbourhood and its links" });
    name.replaceWith(button);
    button.append(name);
  }
  link.row.setAttribute("aria-selected", "false");
  setReach(link, "-1");
}

function setReach(link, index) {
  link.row.tabIndex = index;
  for (const inside of link.row.querySelectorAll("button, summary")) inside.tabIndex = index;
}

/* The direction in which a column is sorted next; other columns forget theirs. */
function turn(header) {
  const first = header.dataset.first || "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const next = header.getAttribute("aria-sort") === first ? second : first;
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", next);
  return next;
}

function wrapInButton(header) {
  const button = made("button", { type: "button" }, header.firstChild);
  header.prepend(button);
  return button;
}
