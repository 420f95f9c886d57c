/* The listed links as files, made here from what the page holds. */

/* The places that a spreadsheet would compute, as in pulink.data.formats.spreadsheet_guard. */
const UNSEEN = "\\s\\x00-\\x20\\x7f-\\xa0\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\ufeff";
const SIGNS = "=+\\-@\\uff1d\\uff0b\\uff0d\\uff20";
const SPLITS = ",;|\\t\\r\\n";
const BEGINS = `(?:[${UNSEEN}]*[${SIGNS}\\t\\r\\n]|[\\s\\x85]*[#%]+(?:[\\s\\x85]|$))`;
const GUARD_BEHIND = new RegExp(`([${SPLITS}][${UNSEEN}${SPLITS}"]*)('*[${SIGNS}])`, "g");
const GUARD_BEGIN = new RegExp(`^('*${BEGINS})`);

function guarded(text) {
  return text.replace(GUARD_BEHIND, "$1'$2").replace(GUARD_BEGIN, "'$1");
}

function quoted(text) {
  return '"' + guarded(text).replaceAll('"', '""') + '"';
}

/* The name of a column, quoted where it must be. */
function columnName(name) {
  return /^[\p{L}\p{N}_ .-]+$/u.test(name) ? name : quoted(name);
}

function asCsv(links, [first, second]) {
  const rows = links.map(({ source, target, reasons, written }) => [written.rank, quoted(source), quoted(target),
    written.probability, written.score, written.low, written.high, quoted(reasons[0] ?? ""), quoted(reasons.join("; "))].join(","));
  const head = `rank,${columnName(first)},${columnName(second)},probability,score,probability_low,probability_high,reason,reasons`;
  return [head, ...rows, ""].join("\n");
}

function asJson(links, [first, second]) {
  const number = (text) => text === "" ? null : Number(text);
  return JSON.stringify(links.map(({ source, target, reasons, written }) => ({ rank: number(written.rank), [first]: source, [second]: target,
    probability: number(written.probability), score: number(written.score), probability_low: number(written.low),
    probability_high: number(written.high), reason: reasons[0] ?? "", reasons })), null, 1) + "\n";
}

/* XML knows no way to write most controls: they become their codes. */
function inXml(text) {
  const legal = text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu,
    (own) => "\\u" + own.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"));
  return legal.replace(/[<>&"'\t\n\r]/g, (own) => `&#${own.codePointAt(0)};`);
}

const GRAPHML_KEYS = [["rank", "long"], ["probability", "double"], ["score", "double"], ["low", "double"], ["high", "double"]];

function asGraphml(links) {
  const ids = new Map(), taken = new Set();
  for (const [key, label] of links.flatMap(({ keys, labels }) => keys.map((key, end) => [key, labels[end]]))) {
    if (ids.has(key)) continue;
    let id = inXml(label);
    while (taken.has(id)) id += "~";
    taken.add(id);
    ids.set(key, id);
  }
  const edges = links.map(({ keys: [source, target], reasons, written }) => {
    const numbers = GRAPHML_KEYS.filter(([key]) => written[key] !== "").map(([key]) => `<data key="${key}">${written[key]}</data>`);
    const reason = reasons.length ? `<data key="reasons">${inXml(reasons.join("; "))}</data>` : "";
    return `<edge source="${ids.get(source)}" target="${ids.get(target)}">${numbers.join("")}${reason}</edge>`;
  });
  const directed = links.some(({ between }) => between === ARROW);
  const names = { low: "probability_low", high: "probability_high" };
  const keys = [...GRAPHML_KEYS, ["reasons", "string"]].map(([key, type]) =>
    `<key id="${key}" for="edge" attr.name="${names[key] || key}" attr.type="${type}"/>`);
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">', ...keys,
    `<graph edgedefault="${directed ? "directed" : "undirected"}">`, ...Array.from(ids.values(), (id) => `<node id="${id}"/>`), ...edges,
    "</graph>", "</graphml>", ""].join("\n");
}

const KINDS = { csv: [asCsv, "text/csv"], json: [asJson, "application/json"], graphml: [asGraphml, "application/graphml+xml"] };

function download(links, kind, ends) {
  const [write, type] = KINDS[kind];
  const address = URL.createObjectURL(new Blob([write(links, ends)], { type: type + ";charset=utf-8" }));
  const link = made("a", { href: address, download: "missing_links_shown." + kind });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
