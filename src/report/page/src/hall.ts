import { acceptance, audit, failure, groupOfRack, hostNumber, objectOf, pdusOfRack, pdus, rackNumber, rackObject, rackOfObject, racks, racksLost, linksOf, links, ports, cables, objects, networks } from "./data";
import { choice, h, s } from "./dom";
import { air, digits, va, watts } from "./format";
import { go, here, to } from "./state";
import { marks, markWord, racksMarked } from "./marks";
import { changesOf, diff, oldRackOf, oldRacks, rackChanges, signed, SIGN, stateOf, why, type OldRack } from "./changes";
import { figure } from "./expect";
import { below, table } from "./table";

// Cividis, five stops (Nunez et al. 2018): even in lightness for all kinds of colour vision.
const STOPS = [[0, 34, 78], [65, 77, 107], [124, 123, 120], [188, 175, 111], [254, 232, 56]];
export function shade(share: number): string {
  const at = Math.max(0, Math.min(0.9999, share)) * 4, i = Math.floor(at), f = at - i;
  return `rgb(${STOPS[i].map((c, k) => Math.round(c + (STOPS[i + 1][k] - c) * f)).join(",")})`;
}
const ink = (share: number) => (share > 0.55 ? "on-light" : "on-dark");

interface Metric { word: string; value: (r: number) => number; text: (v: number) => string }
// The worst figure of a rack for each metric of an acceptance, and how much did not pass or is named by findings.
function results(): Record<string, Metric> {
  const out: Record<string, Metric> = {};
  if (acceptance || audit) out.marked = { word: acceptance ? "What did not pass" : "What the audit names", value: r => racksMarked().get(r) ?? 0, text: v => (v === 1 ? "1 object" : `${digits(v)} objects`) };
  const least = new Map<string, { dimension: string; of: Map<number, number> }>();
  for (const v of acceptance?.verdicts ?? []) {
    const n = v.value === null ? undefined : hostNumber().get(v.node), r = n === undefined ? -1 : rackOfObject(objects[n]);
    if (r < 0) continue;
    if (!least.has(v.metric)) least.set(v.metric, { dimension: v.dimension, of: new Map() });
    const of = least.get(v.metric)!.of;
    of.set(r, Math.min(of.get(r) ?? Infinity, v.value));
  }
  for (const [metric, { dimension, of }] of least) if (/rate/.test(dimension)) out["least " + metric] = { word: `Result, least in the rack: ${metric}`, value: r => of.get(r) ?? 0, text: v => figure({ value: v }, dimension) };
  return out;
}
export const metrics: Record<string, Metric> = {
  ...results(),
  power: { word: "Power", value: r => racks[r].power_w, text: watts },
  liquid: { word: "Heat into liquid", value: r => racks[r].liquid_heat_w, text: watts },
  air: { word: "Air flow", value: r => racks[r].airflow_m3_s, text: air },
  weight: { word: "Weight", value: r => racks[r].weight_kg, text: v => `${digits(v)} kg` },
};

// Where racks stood before that are gone or stand elsewhere now.
const oldPlaces = (): [OldRack, boolean][] => oldRacks.flatMap((o): [OldRack, boolean][] => {
  const r = rackNumber().get(o.object);
  return r === undefined ? [[o, true]] : racks[r].x_m !== o.x_m || racks[r].y_m !== o.y_m ? [[o, false]] : [];
});

// metric null: racks are shaded by what changes.
export function floorPlan(metric: Metric | null, lost: Set<number>, selected: number, view: string): HTMLElement {
  const size = (r: number) => ({ w: groupOfRack()[r]?.width_m ?? 0.6, d: groupOfRack()[r]?.depth_m ?? 1.2 });
  let right = 1, bottom = 1, most = 0;
  racks.forEach((rack, r) => {
    right = Math.max(right, rack.x_m + size(r).w); bottom = Math.max(bottom, rack.y_m + size(r).d);
    most = Math.max(most, metric?.value(r) ?? 0);
  });
  const former = oldPlaces();
  for (const [o] of former) { right = Math.max(right, o.x_m + (o.width_m ?? 0.6)); bottom = Math.max(bottom, o.y_m + (o.depth_m ?? 1.2)); }
  // A hall that is deeper than wide is drawn turned, so that a screen holds it.
  const turned = bottom > 1.3 * right, pad = 0.3, many = racks.length > 400;
  const box = (r: number) => { const { w, d } = size(r); return turned ? { x: racks[r].y_m, y: racks[r].x_m, w: d, d: w } : { x: racks[r].x_m, y: racks[r].y_m, w, d }; };
  if (turned) [right, bottom] = [bottom, right];
  const cells: SVGElement[] = [], signs = { added: "", removed: "", changed: "" };
  racks.forEach((rack, r) => {
    const { x, y, w, d } = box(r), share = metric && most ? metric.value(r) / most : 0;
    const change = rackChanges().get(rackObject(r));
    cells.push(s("rect", { x, y, width: w, height: d, fill: metric ? shade(share) : undefined, "data-rack": r, class: (lost.has(r) ? "lost" : many ? "" : "cell") + (metric ? "" : ` state ${change?.state ?? "same"}`) },
      many ? null : s("title", {}, `${rack.name}${metric ? `: ${metric.text(metric.value(r))}` : ""}${change ? `; ${change.text}` : ""}`)));
    if (change && many) signs[change.state] += stroke(x + w / 2, y + d / 2, Math.min(w, d) * 0.22, change.state);
    else if (change) cells.push(...signAt(x, y, w, change.state));
    if (!many) cells.push(s("text", { x: x + w / 2, y: y + d / 2, class: metric ? ink(share) : "on-light", "font-size": Math.min(0.26, 1.5 * w / Math.max(4, rack.name.length)), "text-anchor": "middle", "dominant-baseline": "central", "data-rack": r }, rack.name));
    if (racksMarked().has(r)) cells.push(s("path", { d: `M${x + 0.04} ${y + 0.34}l0.17 -0.3l0.17 0.3z`, class: "flag" }, s("title", {}, `${racksMarked().get(r)} marked`)));
    if (lost.has(r)) cells.push(s("path", { d: `M${x} ${y}l${w} ${d}m0 ${-d}l${-w} ${d}`, class: "cross" }));
  });
  for (const [o, gone] of former) {
    const w = turned ? o.depth_m ?? 1.2 : o.width_m ?? 0.6, d = turned ? o.width_m ?? 0.6 : o.depth_m ?? 1.2, x = turned ? o.y_m : o.x_m, y = turned ? o.x_m : o.y_m;
    cells.push(s("rect", { x: x + 0.04, y: y + 0.04, width: w - 0.08, height: d - 0.08, class: gone ? "former removed" : "former", ...(gone ? { "data-object": o.object } : {}) }, s("title", {}, gone ? `${o.name}: removed` : `${o.name} stood here`)));
    if (gone && many) signs.removed += stroke(x + w / 2, y + d / 2, Math.min(w, d) * 0.22, "removed");
    else if (gone) cells.push(...signAt(x, y, w, "removed"), s("text", { x: x + w / 2, y: y + d / 2, class: "plain", "font-size": Math.min(0.26, 1.5 * w / Math.max(4, o.name.length)), "text-anchor": "middle", "dominant-baseline": "central" }, o.name));
  }
  if (many) for (const all of Object.values(signs)) if (all) cells.push(s("path", { d: all, class: "signs" }));
  // A small hall at 80 pixels a metre or less; a large one no smaller than a rack can be hit, and scrolled.
  const wide = right + 2 * pad, high = bottom + 2 * pad, scale = Math.max(9, Math.min(80, 1200 / wide, 420 / high));
  const mark = s("rect", { class: "mark", visibility: "hidden", "stroke-width": 4 / scale });
  const move = (r: number) => {
    if (r < 0) return;
    const { x, y, w, d } = box(r), out = 2 / scale;
    for (const [k, v] of Object.entries({ x: x - out, y: y - out, width: w + 2 * out, height: d + 2 * out, visibility: "visible" })) mark.setAttribute(k, String(v));
  };
  move(selected);
  const picture = s("svg", { viewBox: `${-pad} ${-pad} ${wide} ${high}`, role: "img", class: "floor",
    "aria-label": `Floor plan of ${racks.length} racks, shaded by ${metric ? metric.word.toLowerCase() : "what changes"}` }, ...cells, mark);
  picture.style.width = `${Math.round(wide * scale)}px`;
  picture.style.maxWidth = scale > 9 ? "100%" : "";
  picture.style.minWidth = `${Math.round(wide * Math.min(scale, 40))}px`;
  const choose = (r: number) => go({ view, object: rackObject(r) });
  const key = (event: KeyboardEvent) => {
    const step: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = step[event.key];
    if (!way || !racks.length) return;
    event.preventDefault();
    const now = rackOfObject(here().object ?? "");
    if (now < 0) return choose(0);
    let best = -1, near = Infinity;
    racks.forEach((_, r) => {
      const p = box(r), q = box(now), dx = p.x - q.x, dy = p.y - q.y, along = dx * way[0] + dy * way[1];
      if (along <= 0.01) return;
      const cost = along + 3 * Math.abs(dx * way[1] + dy * way[0]);
      if (cost < near) { near = cost; best = r; }
    });
    if (best >= 0) choose(best);
  };
  const click = (event: MouseEvent) => {
    const r = (event.target as Element).getAttribute?.("data-rack");
    if (r !== null && r !== undefined) choose(Number(r));
    const gone = (event.target as Element).getAttribute?.("data-object");
    if (gone) go({ view, object: gone });
  };
  const legend = h("div", { class: "legend" }, ...(metric ? ["0", h("span", { class: "ramp", "aria-hidden": "true" }), metric.text(most)] : []), diff ? stateKey(former.some(([, gone]) => !gone)) : null,
    h("span", { class: "quiet" }, turned ? " Drawn turned: rows of racks run downwards." : ""));
  return h("div", {}, legend, h("div", { class: "picture scroll", tabindex: 0, role: "group", "aria-label": "Floor plan; arrow keys choose a rack", keydown: key, click }, picture));
}

// The sign of a state as strokes: one element holds those of thousands of racks.
function stroke(x: number, y: number, a: number, state: keyof typeof SIGN): string {
  const at = (u: number, v: number) => `${(x + u).toFixed(2)} ${(y + v).toFixed(2)}`;
  return state === "changed" ? `M${at(-a, a / 2)}L${at(-a / 3, -a / 2)}L${at(a / 3, a / 2)}L${at(a, -a / 2)}` : `M${at(-a, 0)}L${at(a, 0)}` + (state === "added" ? `M${at(0, -a)}L${at(0, a)}` : "");
}
// The sign of a state on a plate, which is read on every shade.
function signAt(x: number, y: number, w: number, state: keyof typeof SIGN): SVGElement[] {
  const size = Math.min(0.3, w * 0.5);
  return [s("rect", { x: x + 0.03, y: y + 0.03, width: size, height: size, class: `plate ${state}` }), s("text", { x: x + 0.03 + size / 2, y: y + 0.03 + size / 2, "font-size": size, class: "on-light", "font-weight": 700, "text-anchor": "middle", "dominant-baseline": "central" }, SIGN[state])];
}
export function stateKey(places = false): HTMLElement {
  return h("span", { class: "states" }, ...(Object.keys(SIGN) as (keyof typeof SIGN)[]).flatMap(k => [h("span", { class: "key" }, h("span", { class: `plate ${k}`, "aria-hidden": "true" }, SIGN[k]), ` ${k}`)]), places ? h("span", { class: "quiet" }, " · dashed: a former place") : null);
}

const U = 15;
function elevation(r: number, rear: boolean): SVGElement {
  const g = groupOfRack()[r];
  return drawRack({ object: rackObject(r), name: racks[r].name, units: g?.units ?? 0, width_m: g?.width_m, devices: racks[r].devices.map(d => ({ ...d, object: objectOf(d) })) }, rear, false);
}
// `former`: as it stood before, in the page of `diff`.
function drawRack(rack: { object: string; name: string; units: number; width_m?: number; devices: { kind: string; name: string; object: string; unit: number; units: number; cords?: string }[] }, rear: boolean, former: boolean): SVGElement {
  const units = rack.units || Math.max(1, ...rack.devices.map(d => d.unit + d.units - 1));
  // To scale: a unit is 44.45 mm, the mounting width 482.6 mm (EIA-310).
  const mounting = U * 482.6 / 44.45, outer = U * (rack.width_m ?? 0.6) * 1000 / 44.45, left = (outer - mounting) / 2;
  const y = (unit: number, n: number) => 20 + (units - unit - n + 1) * U;
  const parts: SVGElement[] = [s("rect", { x: 22, y: 14, width: outer, height: units * U + 12, class: "frame" }),
    s("rect", { x: 22 + left, y: 20, width: mounting, height: units * U, class: "opening" })];
  for (let u = 1; u <= units; ++u) if (u === 1 || u % 5 === 0) parts.push(s("text", { x: 17, y: y(u, 1) + U / 2, class: "unit" }, u));
  let next = 1;  // trays of an assembly: their maker decides on the units, so they are drawn in their order
  const order = [...rack.devices].sort((a, b) => (a.unit < 1 && b.unit < 1 ? a.name.localeCompare(b.name, "en", { numeric: true }) : 0));
  for (const d of order) {
    const unit = d.unit > 0 ? d.unit : (next += d.units) - d.units;
    const name = d.kind === "occupied" ? "occupied" : d.object;
    const flag = marks().get(name) ?? (why(name) || undefined), state = stateOf(name), shown = state !== (former ? "added" : "removed") ? state : "";
    const label = (state ? signed(name) : flag ? "▲ " : "") + (d.kind === "occupied" ? "standing here already" : rear && d.cords ? `${d.name} · ${[...new Set(d.cords)].join(" ")}` : d.name);
    const size = Math.min(11, (mounting - 8) / (0.58 * label.length));
    parts.push(s("g", { "data-object": d.kind === "occupied" ? undefined : name, class: "device " + d.kind + (here().object === name ? " chosen" : "") + (shown ? ` changes ${shown}` : flag && !state ? " flagged" : "") },
      s("title", {}, `${flag ? flag + "; " : ""}${d.unit < 1 ? "Tray" : `U${d.unit}`}${d.unit > 0 && d.units > 1 ? `–${d.unit + d.units - 1}` : ""}: ${label}`),
      s("rect", { x: 22 + left + 0.5, y: y(unit, d.units) + 0.5, width: mounting - 1, height: d.units * U - 1, rx: 1.5 }),
      s("text", { x: 22 + left + mounting / 2, y: y(unit, d.units) + d.units * U / 2, "font-size": Math.max(5, size), "text-anchor": "middle", "dominant-baseline": "central" }, label)));
  }
  if (rear) (pdusOfRack().get(rack.name) ?? []).forEach((i, k) => {
    const letter = pdus[i].name.slice(-1), x = k % 2 ? 22 + outer - 14 - 14 * Math.floor(k / 2) : 24 + 14 * Math.floor(k / 2);
    parts.push(s("g", { "data-object": pdus[i].name, class: "device pdu" + (here().object === pdus[i].name ? " chosen" : "") }, s("title", {}, `${pdus[i].name} on feed ${pdus[i].feed}`),
      s("rect", { x, y: 24, width: 12, height: units * U - 8, rx: 2 }), s("text", { x: x + 6, y: 36, "font-size": 11, "text-anchor": "middle" }, letter)));
  });
  const width = outer + 30, height = units * U + 34;
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "elevation",
    "aria-label": `${former ? "Former front" : rear ? "Rear" : "Front"} elevation of ${rack.object}: ${rack.devices.length} devices in ${units} units` }, ...parts);
  return picture;
}

// Seen from one object: its own port first.
export function linksFrom(object: string, rows: [number, number][], view: string): HTMLElement {
  const l = (i: number) => links(rows[i][0]), k = (i: number) => rows[i][1], near = (i: number) => objects[l(i).near[k(i)]] === object;
  const own = (i: number) => ports[near(i) ? l(i).nearPort[k(i)] : l(i).farPort[k(i)]], other = (i: number) => objects[near(i) ? l(i).far[k(i)] : l(i).near[k(i)]];
  return table({ caption: `Cables of ${object}`, rows: rows.length, link: o => to(view, { object: o }), columns: [
    { name: "Port", text: own }, { name: "Leads to", text: other, object: other }, { name: "Port there", text: i => ports[near(i) ? l(i).farPort[k(i)] : l(i).nearPort[k(i)]] },
    { name: "Cable", text: i => cables[l(i).cable[k(i)]] }, { name: "Network", text: i => networks[rows[i][0]] }] });
}

export function linkTable(caption: string, rows: [number, number][], view: string): HTMLElement {
  const l = (i: number) => links(rows[i][0]), k = (i: number) => rows[i][1];
  const from = (i: number) => objects[l(i).near[k(i)]], far = (i: number) => objects[l(i).far[k(i)]];
  return table({ caption, rows: rows.length, link: o => to(view, { object: o }), columns: [
    { name: "Network", text: i => networks[rows[i][0]] },
    { name: "From", text: from, object: from }, { name: "Port", text: i => ports[l(i).nearPort[k(i)]] },
    { name: "To", text: far, object: far }, { name: "Port", text: i => ports[l(i).farPort[k(i)]] },
    { name: "Cable", text: i => cables[l(i).cable[k(i)]] },
    { name: "Way", text: i => (l(i).length[k(i)] ? `${l(i).length[k(i)] / 10} m` : "unknown"), key: i => l(i).length[k(i)], number: true }] });
}

function cablesOf(r: number): [number, number][] {
  const out: [number, number][] = [];
  const inside = new Set(racks[r].devices.flatMap(d => linksOf(objectOf(d)).map(([n, i]) => `${n} ${i}`)));
  for (const key of inside) out.push(key.split(" ").map(Number) as [number, number]);
  return out;
}

const pick = (event: MouseEvent) => {
  const object = (event.target as Element).closest?.("[data-object]")?.getAttribute("data-object");
  if (object) go({ object });
};
export const stateText = (object: string) => (stateOf(object) ? `${signed(object)}${stateOf(object) === "changed" ? "changed: " + why(object) : why(object)}` : changesOf().has(object) ? "~ changed: cables" : "");
const oldTable = (o: OldRack) => below("Before, as a table", () => table({ caption: `Devices that stood in ${o.object}`, rows: o.devices.length, link: x => to("hall", { object: x }), columns: [
  { name: "Unit", text: i => (o.devices[i].unit > 0 ? String(o.devices[i].unit) : "as made"), key: i => o.devices[i].unit, number: true }, { name: "Height", text: i => `${o.devices[i].units} U`, number: true },
  { name: "Device", text: i => o.devices[i].object || "standing here already", object: i => o.devices[i].object }, { name: "Change", text: i => stateText(o.devices[i].object) || "none" }] }));

export function goneTable(): HTMLElement | null {
  const gone = oldRacks.filter(o => !rackNumber().has(o.object));
  return gone.length ? table({ caption: "Racks that are removed", rows: gone.length, link: o => to("hall", { object: o }), columns: [{ name: "Rack", text: i => gone[i].object, object: i => gone[i].object }, { name: "Change", text: () => "− removed" }, { name: "Devices before", text: i => String(gone[i].devices.length), number: true }, { name: "Power before", text: i => watts(gone[i].power_w), key: i => gone[i].power_w, number: true }] }) : null;
}

export function hallView(): HTMLElement {
  const place = here(), by = metrics[place.by] ? place.by : diff ? "changes" : "power", metric = metrics[by] ?? null;
  if (!racks.length && !oldRacks.length) return h("div", {}, h("h2", {}, "Hall"), h("p", {}, "This plan has no racks: the spec places its nodes in no room of its own."));
  const cut = place.cut ? failure(place.cut) : undefined, lost = cut && cut.example === place.cut ? racksLost(cut.state) : new Set<number>();
  const chosen = rackOfObject(place.object ?? "");
  const columns = Object.values(metrics);
  const out = h("div", {}, h("h2", {}, "Hall"),
    h("div", { class: "tools" }, choice("Shade by", [...(diff ? [["changes", "What changes"] as [string, string]] : []), ...Object.entries(metrics).map(([k, m]): [string, string] => [k, m.word])], by, value => go({ by: value })),
      h("span", { class: "quiet" }, "Choose a rack to see its elevations and cables.")),
    lost.size ? h("p", {}, `✕ marks the ${lost.size} racks with nodes that the failure stops or cuts off.`) : null,
    racksMarked().size ? h("p", {}, `▲ marks ${markWord}: in ${racksMarked().size === 1 ? "1 rack" : `${racksMarked().size} racks`}.`) : null,
    floorPlan(metric, lost, chosen, "hall"),
    below("Floor plan as a table", () => h("div", {}, goneTable(), table({ caption: "Racks", rows: racks.length, link: o => to("hall", { object: o }), columns: [
      { name: "Rack", text: rackObject, object: rackObject },
      ...(diff ? [{ name: "Change", text: (r: number) => { const c = rackChanges().get(rackObject(r)); return c ? `${SIGN[c.state]} ${c.state === "changed" ? "changed: " : ""}${c.text}` : "none"; } }] : []),
      ...(racksMarked().size ? [{ name: "Marked", text: (r: number) => String(racksMarked().get(r) ?? 0), key: (r: number) => racksMarked().get(r) ?? 0, number: true }] : []),
      ...columns.map(m => ({ name: m.word, text: (r: number) => m.text(m.value(r)), key: m.value, number: true })),
      { name: "x", text: r => `${digits(racks[r].x_m)} m`, key: r => racks[r].x_m, number: true }, { name: "y", text: r => `${digits(racks[r].y_m)} m`, key: r => racks[r].y_m, number: true }] }))));
  const old = oldRackOf().get(chosen >= 0 ? rackObject(chosen) : place.object ?? "");
  if (chosen < 0 && old !== undefined) out.append(h("h3", {}, `Rack ${oldRacks[old].name}, which is removed`), h("div", { class: "elevations", click: pick }, h("figure", {}, drawRack(oldRacks[old], false, true), h("figcaption", {}, "Before"))), oldTable(oldRacks[old]));
  if (chosen < 0) return out;
  const name = rackObject(chosen), rack = racks[chosen];
  const elevations = h("div", { class: "elevations", click: pick }, old !== undefined && rackChanges().has(name) ? h("figure", {}, drawRack(oldRacks[old], false, true), h("figcaption", {}, "Before, front")) : null, h("figure", {}, elevation(chosen, false), h("figcaption", {}, diff ? "Now, front" : "Front")), h("figure", {}, elevation(chosen, true), h("figcaption", {}, pdusOfRack().has(rack.name) ? "Rear; letters: the PDUs of the cords" : "Rear")));
  const rows = cablesOf(chosen), mine = pdusOfRack().get(rack.name) ?? [];
  out.append(h("h3", {}, `${name.startsWith("frame/") ? "Frame" : "Rack"} ${rack.name}`),
    h("p", {}, `${watts(rack.power_w)} · ${digits(rack.weight_kg)} kg${rack.weight_complete ? "" : " without what states no weight"} · ${air(rack.airflow_m3_s)} of air`
      + (rack.liquid_heat_w ? ` · ${watts(rack.liquid_heat_w)} into liquid` : "")
      + (mine.length ? ` · PDUs: ${mine.map(i => `${pdus[i].name.slice(-1)} ${va(pdus[i].worst_va)} of ${va(pdus[i].continuous_va)}`).join(", ")}` : "")),
    elevations, rack.devices.some(d => d.unit < 1) ? h("p", { class: "quiet" }, "Trays are drawn in their order: the maker of the assembly states their units.") : "",
    below("Elevation as a table", () => table({ caption: `Devices of ${name}`, rows: rack.devices.length, link: o => to("hall", { object: o }), columns: [
      { name: "Unit", text: i => (rack.devices[i].unit > 0 ? String(rack.devices[i].unit) : "as made"), key: i => rack.devices[i].unit, number: true }, { name: "Height", text: i => `${rack.devices[i].units} U`, number: true, key: i => rack.devices[i].units },
      { name: "Device", text: i => rack.devices[i].name || "standing here already", object: i => (rack.devices[i].name ? objectOf(rack.devices[i]) : "") }, { name: "Kind", text: i => rack.devices[i].kind },
      ...(diff ? [{ name: "Change", text: (i: number) => stateText(objectOf(rack.devices[i])) }] : []),
      { name: "Cords to PDUs", text: i => [...(rack.devices[i].cords ?? "")].join(" ") }] })),
    old !== undefined && rackChanges().has(name) ? oldTable(oldRacks[old]) : "",
    linkTable(`Cables of ${name}`, rows, "hall"));
  return out;
}
