// The results of `validate`. Every verdict, limit and reason is read from the report; none is judged here.
import { acceptance, rackObject, rackOfObject, hosts, servers } from "./data";
import { choice, h, s } from "./dom";
import { chart } from "./chart";
import { figure } from "./expect";
import { bytes, bytesPerSecond, count, digits, expand, plural } from "./format";
import { culprits, bad, objectOfHost, ownerOf, unitOf } from "./marks";
import { go, here, to } from "./state";
import { below, table } from "./table";

// Of several verdicts of one cell the first in this order stands in it.
const ORDER = ["fail", "degraded", "error", "unjudged", "skipped", "pass", ""];
const MARK: Record<string, string> = { fail: "✖", degraded: "▼", error: "!", unjudged: "?", skipped: "–", pass: "✔", "": "" };
const WORD: Record<string, string> = { fail: "failed", degraded: "degraded", error: "error", unjudged: "unjudged", skipped: "skipped", pass: "passed", "": "not measured" };
const MOST = 200;

// Neither passed nor failed: nothing was found, but not all that an acceptance needs was judged.
const open = /^nothing /.test(acceptance?.verdict ?? "");
export const signOfRun = acceptance?.passed ? ["✔", "yes"] : open ? ["●", ""] : ["✖", "no"];

interface Grid { nodes: string[]; several: string[]; columns: string[]; cells: Map<string, number[]> }
let made: Grid | undefined;
const verdicts: any[] = acceptance?.verdicts ?? [];
const columnOf = (v: any): string => v.metric || v.test;
function grid(): Grid {
  if (made) return made;
  const nodes = servers.flatMap(g => Array.from({ length: g.count }, (_, i) => hosts[g.first + i] as string)), seen = new Set(nodes), several = new Set<string>();
  const columns = new Set<string>(), cells = new Map<string, number[]>();
  verdicts.forEach((v, i) => {
    if (!seen.has(v.node)) { if (expand(v.node).length === 1) { seen.add(v.node); nodes.push(v.node); } else several.add(v.node); }
    columns.add(columnOf(v));
    const key = `${v.node}\n${columnOf(v)}`, had = cells.get(key);
    if (had) had.push(i); else cells.set(key, [i]);
  });
  return (made = { nodes, several: [...several], columns: [...columns], cells });
}
const at = (row: string, column: string) => grid().cells.get(`${row}\n${column}`) ?? [];
const stateOf = (row: string, column: string) => at(row, column).reduce((worst, i) => (ORDER.indexOf(verdicts[i].verdict) < ORDER.indexOf(worst) ? verdicts[i].verdict : worst), "");
const value = (v: any, key = "value") => figure({ value: v[key] ?? null }, v.dimension);
const choose = (row: string, column: string) => go({ node: row, metric: column, object: objectOfHost(row) });
const link = (object: string, view = "acceptance") => h("a", { class: "object", href: to(view, { object }) }, object);

// Rows x columns; arrow keys move the chosen cell.
function picture(rows: string[], columns: string[], name: string): HTMLElement {
  const place = here(), W = 30, H = 22, left = Math.min(180, 20 + 7.5 * Math.max(...rows.map(r => r.length))), top = 14 + 6.2 * Math.max(...columns.map(c => c.length)) * 0.8;
  const parts: SVGElement[] = [];
  columns.forEach((c, k) => parts.push(s("text", { x: 0, y: 0, transform: `translate(${left + k * W + W / 2 + 4} ${top - 6}) rotate(-52)`, class: "small" }, c)));
  rows.forEach((row, r) => {
    parts.push(s("text", { x: left - 8, y: top + r * H + H / 2, "text-anchor": "end", "dominant-baseline": "central", class: "small" }, row.length > 22 ? row.slice(0, 21) + "…" : row));
    columns.forEach((column, k) => {
      const state = stateOf(row, column), chosen = place.node === row && place.metric === column;
      parts.push(s("g", { class: `cell-of ${state || "none"}${chosen ? " chosen" : ""}`, "data-row": r, "data-column": k }, s("title", {}, `${row}, ${column}: ${WORD[state]}`),
        s("rect", { x: left + k * W + 1, y: top + r * H + 1, width: W - 2, height: H - 2, rx: 3 }),
        s("text", { x: left + k * W + W / 2, y: top + r * H + H / 2, "text-anchor": "middle", "dominant-baseline": "central" }, MARK[state])));
    });
  });
  const width = left + columns.length * W + Math.max(...columns.map(c => c.length)) * 4.2, height = top + rows.length * H + 6;
  return h("div", { class: "picture scroll results", tabindex: 0, role: "group", "aria-label": `${name}; arrow keys choose a cell`,
    click: (event: MouseEvent) => {
      const cell = (event.target as Element).closest?.("[data-row]");
      if (cell) choose(rows[Number(cell.getAttribute("data-row"))], columns[Number(cell.getAttribute("data-column"))]);
    },
    keydown: (event: KeyboardEvent) => {
      const step = ({ ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] } as Record<string, number[]>)[event.key];
      if (!step) return;
      event.preventDefault();
      const r = rows.indexOf(here().node), c = columns.indexOf(here().metric), within = (n: number, of: string[]) => Math.max(0, Math.min(of.length - 1, n));
      if (r < 0 || c < 0) choose(rows[0], columns[0]);
      else choose(rows[within(r + step[0], rows)], columns[within(c + step[1], columns)]);
    } }, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${name}: ${rows.length} rows, ${columns.length} tests` }, ...parts));
}

function cell(): HTMLElement | null {
  const { node, metric } = here(), list = node && metric ? at(node, metric) : [];
  if (!node || !metric) return null;
  const objectsOf = expand(node).slice(0, 8).map(objectOfHost).filter(o => o);
  return h("section", { class: "finding", "aria-label": "Chosen cell", role: "status" }, h("h3", {}, `${node}: ${metric}`),
    ...(list.length ? list.slice(0, 40).map(i => verdicts[i]).map(v => h("div", {}, h("p", {}, h("b", { class: bad(v.verdict) ? "over" : "" }, `${MARK[v.verdict]} ${WORD[v.verdict]}`), v.device ? ` · ${v.device}` : "",
      v.value === null ? "" : ` · measured ${value(v)}`, ...["floor", "typical", "ceiling"].map(k => (v[k] === null ? "" : ` · ${k} ${value(v, k)}`)), v.size_bytes ? ` · ${bytes(v.size_bytes)}` : ""),
    v.reason ? h("p", {}, v.reason) : null, ...(v.history ?? []).map((e: any) => h("p", { class: "quiet" }, `Before, at ${e.ended}: ${WORD[e.verdict] ?? e.verdict}${e.value === null ? "" : ` with ${figure({ value: e.value }, v.dimension)}`}${e.reason ? ` (${e.reason})` : ""}`)),
    v.derivation ? h("p", { class: "quiet" }, v.derivation) : null)) : [h("p", {}, "Not measured: the report has no verdict.")]),
    ...objectsOf.map(object => {
      const r = rackOfObject(object), unit = unitOf(object);
      return h("p", {}, "Where: ", link(object), ...(r >= 0 ? [" · ", link(rackObject(r), "hall"), unit ? " · " : "", unit ? h("a", { href: to("hall", { object }) }, unit) : ""] : []));
    }));
}

// One mark for each figure; the limits are lines.
function strip(metric: string, of: any[]): HTMLElement {
  const limits = ["floor", "typical", "ceiling"].flatMap(k => [...new Set<number>(of.map(v => v[k]).filter(x => x !== null))].slice(0, 3).map(x => ({ k, x })));
  const all = [...of.map(v => v.value as number), ...limits.map(l => l.x)], W = 640;
  let low = Infinity, high = -Infinity;
  for (const x of all) { low = Math.min(low, x); high = Math.max(high, x); }
  const tall = limits.length > 1 ? 68 : limits.length ? 56 : 40, measured = of.map(v => v.value as number), least = measured.reduce((a, b) => Math.min(a, b)), greatest = measured.reduce((a, b) => Math.max(a, b));
  const pad = (high - low || Math.abs(high) || 1) * 0.06, x = (v: number) => 8 + (W - 16) * ((v - low + pad) / (high - low + 2 * pad));
  const path = (list: any[]) => list.map(v => `M${x(v.value).toFixed(1)} 30v20`).join("");
  const out = of.filter(v => bad(v.verdict)), apart = [...out].sort((a, b) => a.value - b.value);
  const places = [...limits].sort((a, b) => a.x - b.x);
  return h("section", {}, h("h4", {}, metric, h("span", { class: "quiet" }, ` ${plural(of.length, "figure")}${of.length > 1 ? `, from ${figure({ value: least }, of[0].dimension)} to ${figure({ value: greatest }, of[0].dimension)}` : `: ${value(of[0])}`}`)), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Distribution of ${metric}` },
    s("svg", { viewBox: `0 16 ${W} ${tall}`, width: W, height: tall, role: "img", class: "strip", "aria-label": `${metric}: ${plural(of.length, "figure")}` },
      s("rect", { x: 0, y: 30, width: W, height: 20, class: "track" }), s("path", { d: path(of.filter(v => !bad(v.verdict))), class: "good" }), s("path", { d: path(out), class: "wrong" }),
      ...out.map(v => s("path", { d: `M${x(v.value).toFixed(1)} 28l-5 -8h10z`, class: "point" })),
      ...places.flatMap((l, i) => { const near = x(l.x) > W * 0.7 ? "end" : x(l.x) < W * 0.3 ? "start" : "middle";
        return [s("path", { d: `M${x(l.x)} 24V56`, class: "limit " + l.k }), s("text", { x: x(l.x), y: i % 2 ? 80 : 67, "text-anchor": near }, `${l.k} ${figure({ value: l.x }, of[0].dimension)}`)]; }))),
    apart.length ? h("p", {}, "▼ ", ...apart.slice(0, 12).flatMap((v, i) => [i ? ", " : "", h("a", { href: to("acceptance", { node: v.node, metric, object: objectOfHost(v.node) }) }, v.node), ` ${value(v)} (${WORD[v.verdict]})`]), apart.length > 12 ? ` and ${count(apart.length - 12)} more` : "") : null);
}

function curves(): HTMLElement[] {
  return grid().columns.flatMap(metric => {
    const of = verdicts.filter(v => columnOf(v) === metric && v.value !== null && v.size_bytes > 0), sizes = [...new Set<number>(of.map(v => v.size_bytes))].sort((a, b) => a - b);
    if (sizes.length < 2 || of[0].dimension !== "byte rate") return [];
    const rows = [...new Set<string>(of.map(v => v.node))].sort((a, b) => Number(of.some(v => v.node === b && bad(v.verdict))) - Number(of.some(v => v.node === a && bad(v.verdict)))).slice(0, 6);
    const series = rows.map(name => ({ name, y: sizes.map(z => of.find(v => v.node === name && v.size_bytes === z)?.value ?? null) }));
    return [h("section", {}, h("h4", {}, metric), chart(`${metric} over size`, sizes, series, { xText: bytes, yText: bytesPerSecond, xLabel: "size" }))];
  });
}

// For the selected object: what did not pass on it.
export function resultsOf(object: string): HTMLElement | null {
  const mine = acceptance ? verdicts.filter(v => v.verdict !== "pass" && v.verdict !== "skipped" && objectOfHost(v.node) === object) : [];
  return mine.length ? h("div", {}, h("h3", {}, "Did not pass"), h("ul", {}, ...mine.slice(0, 10).map(v => h("li", {}, h("a", { href: to("acceptance", { node: v.node, metric: columnOf(v), object }) }, columnOf(v)), `: ${WORD[v.verdict]}${v.reason ? `: ${v.reason}` : ""}`))),
    mine.length > 10 ? h("p", { class: "quiet" }, `${count(mine.length - 10)} more in Acceptance.`) : null) : null;
}

// Two runs: the program's own judgement of what changed (validate --compare).
const CHANGES: Record<string, string> = { better: "▲ better", worse: "▼ worse", same: "= same" };
function comparison(): HTMLElement | null {
  const c = acceptance.comparison;
  if (!c) return null;
  const word = (x: string) => CHANGES[x] ?? x.replace(/_/g, " "), gain = (x: number | null) => (x === null ? "none" : `${x > 0 ? "+" : x < 0 ? "−" : ""}${(Math.abs(x) * 100).toFixed(1)} %`), all: any[] = c.figures, metrics: any[] = c.metrics;
  const unit = (f: any) => verdicts.find(v => v.metric === f.metric)?.dimension ?? "", shown = all.filter(f => f.before !== null && f.now !== null).sort((a, b) => a.gain - b.gain).slice(0, 40), W = Math.max(280, Math.min(640, innerWidth - 40)), most = Math.max(0.01, ...shown.map(f => Math.abs(f.gain)));
  return h("section", {}, h("h3", {}, "Compared with an earlier run"), h("p", {}, `${plural(c.pairs, "figure")} of both runs, ${count(c.only_before)} of the earlier alone, ${count(c.only_now)} of this one alone. The earlier run began at ${c.before_started}.`, c.differs.length ? h("b", {}, ` Differs: ${c.differs.join(", ")}.`) : null),
    metrics.length ? table({ caption: "Change of each metric", rows: metrics.length, columns: [{ name: "Metric", text: i => metrics[i].metric || metrics[i].test }, { name: "Change", text: i => word(metrics[i].change) }, { name: "Median gain", text: i => gain(metrics[i].gain), key: i => metrics[i].gain ?? 0, number: true }, { name: "Pairs", text: i => count(metrics[i].pairs), key: i => metrics[i].pairs, number: true }, { name: "Chance of noise", text: i => (metrics[i].probability === null ? "" : digits(metrics[i].probability)), key: i => metrics[i].probability ?? 1, number: true }] }) : null,
    shown.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Gain of each figure" }, s("svg", { width: W, height: shown.length * 22 + 8, viewBox: `0 0 ${W} ${shown.length * 22 + 8}`, role: "img", class: "strip", "aria-label": "Gain of each figure, the worst first" }, s("path", { d: `M${W * 0.7} 0v${shown.length * 22 + 4}`, class: "limit" }),
      ...shown.flatMap((f, i) => { const w = (W * 0.26 * Math.abs(f.gain)) / most; return [s("text", { x: 0, y: i * 22 + 15 }, `${f.node}${f.device ? ` ${f.device}` : ""} ${f.metric}`.slice(0, Math.max(8, Math.floor(W * 0.42 / 6.6) - 8)) + ` ${gain(f.gain)}`), s("rect", { x: f.gain < 0 ? W * 0.7 - w : W * 0.7, y: i * 22 + 4, width: Math.max(1, w), height: 14, class: f.change === "worse" ? "gain worse" : "gain" })]; }))) : null,
    all.length ? table({ caption: "Figures of both runs", rows: all.length, search: true, link: o => to("acceptance", { object: o }), columns: [{ name: "Change", text: i => word(all[i].change) }, { name: "Metric", text: i => all[i].metric }, { name: "Node", text: i => all[i].node, object: i => objectOfHost(all[i].node) }, { name: "Device", text: i => all[i].device },
      { name: "Before", text: i => figure({ value: all[i].before }, unit(all[i])), key: i => all[i].before ?? -1, number: true }, { name: "Now", text: i => figure({ value: all[i].now }, unit(all[i])), key: i => all[i].now ?? -1, number: true }, { name: "Gain", text: i => gain(all[i].gain), key: i => all[i].gain ?? 0, number: true }, { name: "Verdict before", text: i => WORD[all[i].verdict_before] ?? all[i].verdict_before }, { name: "Verdict now", text: i => WORD[all[i].verdict_now] ?? all[i].verdict_now }] }) : null);
}

export function acceptanceView(): HTMLElement {
  const r = acceptance, g = grid(), place = here(), filter = place.rows ?? "all";
  const wrong = (row: string) => g.columns.some(c => !["pass", "skipped", ""].includes(stateOf(row, c)));
  const chosen = filter === "wrong" ? g.nodes.filter(wrong) : g.nodes, pages = Math.ceil(chosen.length / MOST), page = Math.min(pages - 1, Number(place.page) || 0), rows = chosen.slice(Math.max(0, page) * MOST, (Math.max(0, page) + 1) * MOST);
  const several = g.several.filter(x => filter !== "wrong" || wrong(x));
  const hasFigures = g.columns.map(c => [c, verdicts.filter(v => columnOf(v) === c && v.value !== null)] as [string, any[]]).filter(([, of]) => of.length);
  const drawn = curves();
  return h("div", {}, h("h2", {}, "Acceptance"),
    h("p", { class: "verdict " + signOfRun[1] }, `${signOfRun[0]} ${r.verdict}`, r.why ? h("span", {}, r.why) : null),
    h("p", {}, Object.entries(r.counts).filter(([, n]) => n).map(([k, n]) => `${count(n as number)} ${k}`).join(", "), h("span", { class: "quiet" }, ` · through ${r.launcher}, from ${r.started} to ${r.ended}${r.selection ? ` · options: ${r.selection}` : ""}`)),
    r.demands.length ? table({ caption: "What the spec demands", rows: r.demands.length, columns: [{ name: "Metric", text: i => r.demands[i].metric }, { name: "Group", text: i => r.demands[i].group || "the cluster" }, { name: "Met", text: i => (r.demands[i].met ? "✔ met" : "✖ not met") },
      { name: "Passed", text: i => `${r.demands[i].passed} of ${r.demands[i].measured}`, number: true }, { name: "Reason", text: i => r.demands[i].why, wide: true }] }) : null,
    comparison(),
    culprits.length ? h("h3", {}, "Culprits") : null,
    ...culprits.map(c => h("details", { class: "finding error", open: culprits.length < 9 }, h("summary", {}, h("span", { class: "severity" }, `✖ ${c.kind}`), ` ${c.what}: ${c.verdict}`),
      h("p", {}, ...[["", c.object], ["node", c.node && objectOfHost(c.node)], ["switch port", c.switch_port], ["cable", c.cable], ["adapter", c.adapter], ["rack", c.rack && `${c.rack}${c.unit > 0 ? ` unit ${c.unit}` : ""}`], ["serial number", c.serial]].filter(([, x]) => x).flatMap(([word, x], i) => {
        const owner = word === "adapter" || word === "serial number" ? "" : word === "rack" ? `rack/${c.rack}` : ownerOf(x);
        return [i ? " · " : "", word ? word + " " : "", owner ? h("a", { class: "object", href: to("acceptance", { object: owner }) }, x) : x];
      })),
      h("p", { class: "quiet" }, `Confidence ${c.confidence.toFixed(4)}`), h("ul", {}, ...c.evidence.map((e: string) => h("li", {}, e))),
      c.command ? h("p", {}, "Again: ", h("code", {}, c.command)) : null, c.next_step ? h("p", {}, h("b", {}, "Next: "), c.next_step) : null)),
    h("h3", {}, "Nodes and tests"),
    h("div", { class: "tools" }, choice("Rows", [["all", `all nodes (${count(g.nodes.length)})`], ["wrong", "with a cell that did not pass"]], filter, value => go({ rows: value, page: "" })),
      pages > 1 ? choice("Part", Array.from({ length: pages }, (_, i): [string, string] => [String(i), `${chosen[i * MOST]} to ${chosen[Math.min(chosen.length, (i + 1) * MOST) - 1]}`]), String(Math.max(0, page)), value => go({ page: value })) : null),
    h("p", { class: "marks" }, ...ORDER.flatMap(k => [h("span", { class: "key" }, h("span", { class: `mark-of ${k || "none"}`, "aria-hidden": "true" }, MARK[k] || "\u00a0"), ` ${WORD[k]}`), " "])),
    rows.length && g.columns.length ? picture(rows, g.columns.filter(c => g.nodes.some(n => at(n, c).length)), "Results of each node") : h("p", {}, "No node."),
    several.length ? h("div", {}, h("h4", {}, "Tests of several nodes"), picture(several.slice(0, MOST), g.columns.filter(c => several.some(n => at(n, c).length)), "Results of several nodes"), several.length > MOST ? h("p", { class: "quiet" }, `The first ${MOST} of ${count(several.length)}; the table has all.`) : null) : null,
    cell(),
    below("Results as a table", () => table({ caption: "Verdicts", rows: verdicts.length, search: true, link: o => to("acceptance", { object: o }), columns: [
      { name: "Verdict", text: i => `${MARK[verdicts[i].verdict]} ${WORD[verdicts[i].verdict] ?? verdicts[i].verdict}` }, { name: "Metric", text: i => columnOf(verdicts[i]) }, { name: "Node", text: i => verdicts[i].node, object: i => objectOfHost(verdicts[i].node) },
      { name: "Device", text: i => verdicts[i].device }, { name: "Measured", text: i => (verdicts[i].value === null ? "none" : value(verdicts[i])), key: i => verdicts[i].value ?? -1, number: true },
      ...["floor", "typical", "ceiling"].map(k => ({ name: k[0].toUpperCase() + k.slice(1), text: (i: number) => (verdicts[i][k] === null ? "none" : value(verdicts[i], k)), key: (i: number) => verdicts[i][k] ?? -1, number: true })),
      { name: "Reason", text: i => verdicts[i].reason, wide: true }] })),
    hasFigures.length ? h("h3", {}, "Distributions") : null, hasFigures.length ? h("p", { class: "quiet" }, "One mark for each figure. ▼ names what did not pass.") : null, ...hasFigures.map(([metric, of]) => strip(metric, of)),
    drawn.length ? h("h3", {}, "Over size") : null, ...drawn);
}
