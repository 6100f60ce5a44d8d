// Networks: tiers from the end points up. Links that join the same two things are one line; a line to a selected object
// stands out. Thousands of lines go on a canvas.
import { hosts, hostNumber, linkCount, links, networks, objectNumber, objects, plan, ports, rackObject, rackOf, servers, cables } from "./data";
import { choice, h, labelled, s } from "./dom";
import { count, digits, plural, rate } from "./format";
import { linksMarked, marks, markWord, ownerOf } from "./marks";
import { changesOf, diff, oldRackOf, oldRacks, pairs as changedPairs, SIGN, stateOf, unlisted, type State } from "./changes";
import { stateKey, stateText } from "./hall";
import { go, here, to } from "./state";
import { below, table } from "./table";

const tierOf = (name: string): number => (name.startsWith("core/") ? 3 : name.startsWith("spine/") ? 2 : name.startsWith("leaf/") || name.startsWith("switch/") ? 1 : 0);
const MANY = 600;  // end points are drawn by rack beyond

interface Drawing { rows: string[][]; index: Map<string, [number, number]>; pairs: Map<string, number>; folded: boolean; changed: Map<string, { state: State; links: number }> }
const drawings: Drawing[] = [];

function drawing(n: number): Drawing {
  if (drawings[n]) return drawings[n];
  const l = links(n), ends = new Set<number>();
  for (let i = 0; i < l.count; ++i) { if (tierOf(objects[l.near[i]]) === 0) ends.add(l.near[i]); if (tierOf(objects[l.far[i]]) === 0) ends.add(l.far[i]); }
  const folded = ends.size > MANY;
  const spot = new Map<number, string>();
  const placeOf = (o: number) => {
    let name = spot.get(o);
    if (name === undefined) {
      name = tierOf(objects[o]) === 0 && folded ? (rackOf(o) >= 0 ? rackObject(rackOf(o)) : "elsewhere") : objects[o];
      spot.set(o, name);
    }
    return name;
  };
  const rows: string[][] = [[], [], [], []], index = new Map<string, [number, number]>(), pairs = new Map<string, number>();
  const put = (o: number) => {
    const name = placeOf(o);
    if (!index.has(name)) { const t = tierOf(objects[o]); index.set(name, [t, 0]); rows[t].push(name); }
    return name;
  };
  for (let i = 0; i < l.count; ++i) {
    const key = put(l.near[i]) + "\n" + put(l.far[i]);
    pairs.set(key, (pairs.get(key) ?? 0) + 1);
  }
  // What changes: links that are new are among those above; ends of links that are gone get a place, too.
  const changed = new Map<string, { state: State; links: number }>();
  for (const p of changedPairs()) {
    if ((tierOf(p.b) ? p.b : p.a).split("/")[1] !== networks[n]) continue;
    const [a, b] = [p.a, p.b].map(name => {
      const o = objectNumber().get(name), place = o !== undefined ? placeOf(o) : folded && tierOf(name) === 0 ? oldRacks[oldRackOf().get(name) ?? -1]?.object ?? "elsewhere" : name;
      if (!index.has(place)) { const t = tierOf(name); index.set(place, [t, 0]); rows[t].push(place); }
      return place;
    });
    const key = pairs.has(`${b}\n${a}`) ? `${b}\n${a}` : `${a}\n${b}`, had = changed.get(key);
    changed.set(key, { state: had && had.state !== p.state ? "changed" : p.state, links: (had?.links ?? 0) + 1 });
  }
  for (const row of rows) row.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).forEach((name, i) => index.set(name, [index.get(name)![0], i]));
  return (drawings[n] = { rows, index, pairs, folded, changed });
}

export function pathBetween(n: number, from: string, to: string): { hops: string[]; ways: number } | null {
  const a = objectNumber().get(from), b = objectNumber().get(to);
  if (a === undefined || b === undefined) return null;
  const next = adjacency(n);
  // Breadth first; of each object the number of shortest ways that lead to it.
  const distance = new Map<number, number>([[a, 0]]), ways = new Map<number, number>([[a, 1]]), before = new Map<number, number>();
  let edge = [a];
  while (edge.length && !distance.has(b)) {
    const wave: number[] = [];
    for (const o of edge) {
      if (o !== a && tierOf(objects[o]) === 0) continue;  // no way leads through an end point
      for (let k = next.first[o]; k < next.first[o + 1]; ++k) {
        const p = next.to[k], d = distance.get(o)! + 1;
        if (!distance.has(p)) { distance.set(p, d); before.set(p, o); ways.set(p, ways.get(o)!); wave.push(p); }
        else if (distance.get(p) === d) ways.set(p, ways.get(p)! + ways.get(o)!);
      }
    }
    edge = wave;
  }
  if (!distance.has(b)) return null;
  const hops = [b];
  while (hops[0] !== a) hops.unshift(before.get(hops[0])!);
  return { hops: hops.map(o => objects[o]), ways: ways.get(b)! };
}
const adjacencies: { first: Uint32Array; to: Uint32Array }[] = [];
function adjacency(n: number) {
  if (adjacencies[n]) return adjacencies[n];
  const l = links(n), first = new Uint32Array(objects.length + 1), to = new Uint32Array(2 * l.count);
  for (let i = 0; i < l.count; ++i) { ++first[l.near[i] + 1]; ++first[l.far[i] + 1]; }
  for (let o = 0; o < objects.length; ++o) first[o + 1] += first[o];
  const at = first.slice();
  for (let i = 0; i < l.count; ++i) { to[at[l.near[i]]++] = l.far[i]; to[at[l.far[i]]++] = l.near[i]; }
  return (adjacencies[n] = { first, to });
}

// The links that one end point has in a network, by port name.
function linkAt(n: number, object: string, port: string): number {
  const l = links(n), o = objectNumber().get(object);
  for (let i = 0; i < l.count; ++i)
    if ((l.near[i] === o && ports[l.nearPort[i]].startsWith(port)) || (l.far[i] === o && ports[l.farPort[i]].startsWith(port))) return i;
  return -1;
}
const serverOf = (object: string) => { const n = objectNumber().get(object) ?? -1; return servers.find(g => n >= g.first && n < g.first + g.count); };
function between(a: number, b: number, n: number): string {  // ports of a link of these two
  const l = links(n);
  for (let i = 0; i < l.count; ++i) {
    if (l.near[i] === a && l.far[i] === b) return `port ${ports[l.nearPort[i]]} → port ${ports[l.farPort[i]]}, ${cables[l.cable[i]]}`;
    if (l.near[i] === b && l.far[i] === a) return `port ${ports[l.farPort[i]]} → port ${ports[l.nearPort[i]]}, ${cables[l.cable[i]]}`;
  }
  return "";
}

function gpuEnd(text: string): { object: string; gpu: number; server: any } | string {
  const m = /^\s*(.+?)(?:\s*[:/ ]\s*(?:gpu)?\s*(\d+))?\s*$/i.exec(text);
  let name = m?.[1] ?? "", gpu = m?.[2] ?? "0", n = hostNumber().get(name) ?? objectNumber().get(name);
  if (n === undefined) { n = hostNumber().get(text.trim()) ?? objectNumber().get(text.trim()); gpu = "0"; }
  if (n === undefined) return `There is no node '${text.trim()}'.`;
  const server = serverOf(objects[n]);
  if (!server || server.gpus < 1) return `'${hosts[n]}' has no GPUs.`;
  if (Number(gpu) >= server.gpus) return `'${hosts[n]}' has GPUs 0 to ${server.gpus - 1}.`;
  return { object: objects[n], gpu: Number(gpu), server };
}

export function tracePath(n: number, fromText: string, toText: string): HTMLElement {
  const a = gpuEnd(fromText), b = gpuEnd(toText);
  if (typeof a === "string" || typeof b === "string") return h("p", { role: "status" }, typeof a === "string" ? a : String(b));
  if (a.object === b.object && a.gpu === b.gpu) return h("p", {}, "Both ends are the same GPU.");
  const inDomain = a.server === b.server && a.server.domain_gpus > 0 && a.server.gpus > 0 &&
    Math.floor(((objectNumber().get(a.object)! - a.server.first) * a.server.gpus) / a.server.domain_gpus) === Math.floor(((objectNumber().get(b.object)! - b.server.first) * b.server.gpus) / b.server.domain_gpus);
  if ((a.object === b.object && a.server.joined > 1) || inDomain)
    return h("p", { role: "status" }, `NVLink joins both GPUs${a.server.gpu_link ? ` (${a.server.gpu_link} one way for each GPU)` : ""}: no traffic between them enters the network.`);
  if (a.object === b.object) return h("p", { role: "status" }, "Both GPUs are in one node and talk over its PCIe tree: see Server.");
  const hop = (e: typeof a) => {
    const pairs = e.server.pairs?.filter((p: any) => p.gpu === e.gpu) ?? [];
    for (const p of pairs) {
      const l = linkAt(n, e.object, `${p.ports}/${p.first_port}`);
      if (l >= 0) return { pair: p, link: l };
    }
    const any = linkAt(n, e.object, "");
    return any >= 0 ? { pair: null, link: any } : null;
  };
  const x = hop(a), y = hop(b);
  if (!x || !y) return h("p", { role: "status" }, `A node of the two has no port in network '${networks[n]}'.`);
  const l = links(n), leaf = (i: number, o: string) => (objects[l.near[i]] === o ? l.far[i] : l.near[i]);
  const la = leaf(x.link, a.object), lb = leaf(y.link, b.object);
  const middle = la === lb ? { hops: [objects[la]], ways: 1 } : pathBetween(n, objects[la], objects[lb]);
  if (!middle) return h("p", { role: "status" }, `Network '${networks[n]}' joins their switches ${objects[la]} and ${objects[lb]} by no path: a rail-optimised fabric of several planes or rails has none between rails.`);
  const nic = (e: typeof a, p: any) => (p ? `GPU ${e.gpu} → ${p.nic}[${p.index}]${p.relation && p.relation !== "not known" ? ` (PCIe: ${p.relation}${p.rate ? `, ${p.rate}` : ""})` : ""}` : `GPU ${e.gpu}`);
  const step = (text: string, object: string, detail = "") => h("li", {}, h("a", { class: "object", href: to("fabric", { object }) }, object), " ", text, detail ? h("span", { class: "quiet" }, " " + detail) : null);
  const steps = [step(nic(a, x.pair), a.object)];
  let last = objectNumber().get(a.object)!;
  for (const name of [...middle.hops, b.object]) {
    const o = objectNumber().get(name)!;
    steps.push(step(name === b.object ? nic(b, y.pair) : "", name, between(last, o, n)));
    last = o;
  }
  return h("div", { role: "status" }, h("ol", { class: "path" }, ...steps),
    h("p", { class: "quiet" }, middle.ways > 1 ? `One of ${plural(middle.ways, "shortest path")} that routing may choose, parallel cables counted apart.` : la === lb ? "Both ends are on the same switch." : "This is the only shortest path."));
}

function canvas(n: number, rail: string): HTMLElement {
  const d = drawing(n), off = (key: string) => rail !== "" && key.split("\n").some(name => /^leaf\//.test(name) && !name.endsWith(`/r${rail}`)), rows = d.rows.map((r, t) => ({ names: r, t })).filter(r => r.names.length).reverse();
  const words = [d.folded ? "racks" : "end points", plan.fabrics[n]?.tiers?.length > 1 ? "leaves" : "switches", "spines", "cores"];
  const H = rows.length * 130 - 72, c = h("canvas", { role: "img", "aria-label": `Network ${networks[n]}: ${rows.map(r => plural(r.names.length, words[r.t].replace(/ves$/, "f").replace(/s$/, ""))).join(", ")}` });
  const frame = h("div", { class: "picture fabric", tabindex: 0, role: "group", "aria-label": "Network; arrow keys choose a switch or end point" }, c);
  const spotOf = (name: string) => {
    if (d.index.has(name)) return name;
    const o = objectNumber().get(name);
    if (d.folded && o !== undefined && rackOf(o) >= 0) return rackObject(rackOf(o));
    return "";
  };
  let width = 900;
  const x = (t: number, i: number) => 90 + ((width - 100) * (i + 0.5)) / d.rows[t].length;
  const y = (t: number) => 22 + rows.findIndex(r => r.t === t) * 130;
  const draw = () => {
    width = Math.max(320, frame.clientWidth);
    const zoom = devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    c.width = width * zoom; c.height = H * zoom; c.style.height = `${H}px`;
    const g = c.getContext("2d")!;
    g.scale(zoom, zoom);
    const chosen = spotOf(here().object ?? ""), strong: string[] = [];
    g.strokeStyle = color("--wire"); g.globalAlpha = Math.max(0.03, Math.min(0.6, 800 / d.pairs.size)); g.lineWidth = 1;
    g.beginPath();
    const path = (key: string) => {
      const [p, q] = key.split("\n").map(k => d.index.get(k)!);
      g.moveTo(x(p[0], p[1]), y(p[0])); g.lineTo(x(q[0], q[1]), y(q[0]));
    };
    for (const key of d.pairs.keys()) {
      if (off(key)) continue;
      if (chosen && (key.startsWith(chosen + "\n") || key.endsWith("\n" + chosen))) strong.push(key);
      path(key);
    }
    g.stroke();
    g.globalAlpha = 1; g.strokeStyle = color("--bad"); g.lineWidth = 3; g.setLineDash([7, 4]);
    g.beginPath();
    for (const pair of linksMarked()) { const key = pair.split(" ").map(o => spotOf(objects[Number(o)])).join("\n"); if (d.pairs.has(key)) path(key); }
    g.stroke(); g.setLineDash([]);
    for (const state of ["added", "changed", "removed"] as State[]) {
      g.strokeStyle = color(`--${state}`); g.lineWidth = state === "added" ? 2.2 : 1.8; g.setLineDash(state === "removed" ? [6, 5] : state === "changed" ? [2, 3] : []);
      g.beginPath(); d.changed.forEach((c, key) => { if (c.state === state && !off(key)) path(key); }); g.stroke();
    }
    g.setLineDash([]);
    g.strokeStyle = color("--accent"); g.lineWidth = strong.length > 200 ? 0.7 : 1.5;
    g.beginPath(); strong.forEach(path); g.stroke();
    g.font = "12px system-ui, sans-serif"; g.textBaseline = "middle";
    for (const { names, t } of rows) {
      const each = (width - 100) / names.length, size = Math.max(1.2, Math.min(16, each * 0.7));
      g.fillStyle = color(t === 0 ? "--end" : "--switch");
      names.forEach((name, i) => { if (name !== chosen) g.fillRect(x(t, i) - size / 2, y(t) - 8, size, 16); });
      g.fillStyle = color("--ink"); g.textAlign = "left";
      g.fillText(count(names.length), 2, y(t) - 8); g.fillText(words[t], 2, y(t) + 8);
      if (each > 46) { g.textAlign = "center"; names.forEach((name, i) => g.fillText(name.split("/").slice(each > 130 ? 0 : -1).join("/").slice(0, Math.floor(each / 6.5)), x(t, i), y(t) + (t === 0 ? 18 : -16))); }
    }
    g.fillStyle = color("--bad");
    for (const name of new Set([...marks().keys()].map(spotOf))) {
      const q = d.index.get(name);
      if (q) { const px = x(q[0], q[1]), py = y(q[0]); g.beginPath(); g.moveTo(px, py - 2); g.lineTo(px - 6, py + 9); g.lineTo(px + 6, py + 9); g.fill(); g.strokeStyle = color("--paper"); g.lineWidth = 1; g.stroke(); }
    }
    if (diff) {  // a sign on what changes, where there is room for one
      g.textAlign = "center";
      for (const { names } of rows) {
        const each = (width - 100) / names.length, w = Math.max(1.2, Math.min(14, each - 1));
        g.font = `bold ${Math.min(13, each * 1.2)}px system-ui, sans-serif`;
        for (const name of names) {
          const state = stateOf(name), q = d.index.get(name);
          if (!state || !q) continue;
          g.fillStyle = color(`--${state}-plate`); g.fillRect(x(q[0], q[1]) - w / 2, y(q[0]) - 8, w, 16); g.fillStyle = "#111";
          if (each > 7) g.fillText(SIGN[state], x(q[0], q[1]), y(q[0]) + 1);
        }
      }
    }
    const at = d.index.get(chosen);
    if (at) { g.fillStyle = color("--accent"); g.fillRect(x(at[0], at[1]) - 5, y(at[0]) - 10, 10, 20); }
  };
  const nearest = (event: MouseEvent) => {
    const box = c.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    const row = rows.reduce((best, r) => (Math.abs(y(r.t) - py) < Math.abs(y(best.t) - py) ? r : best));
    if (Math.abs(y(row.t) - py) > 30) return "";
    return row.names[Math.max(0, Math.min(row.names.length - 1, Math.floor(((px - 90) / (width - 100)) * row.names.length)))];
  };
  c.addEventListener("click", event => { const name = nearest(event); if (name && name !== "elsewhere") go({ object: name }); });
  c.addEventListener("mousemove", event => { c.title = nearest(event); });
  frame.addEventListener("keydown", event => {
    const at = d.index.get(spotOf(here().object ?? "")) ?? [rows[0].t, -1], r = rows.findIndex(q => q.t === at[0]);
    let [t, i] = at;
    if (event.key === "ArrowRight") ++i; else if (event.key === "ArrowLeft") --i;
    else if (event.key === "ArrowDown" && r < rows.length - 1) { t = rows[r + 1].t; i = Math.floor(((Math.max(0, i) + 0.5) / d.rows[at[0]].length) * d.rows[t].length); }
    else if (event.key === "ArrowUp" && r > 0) { t = rows[r - 1].t; i = Math.floor(((Math.max(0, i) + 0.5) / d.rows[at[0]].length) * d.rows[t].length); }
    else return;
    event.preventDefault();
    const name = d.rows[t][Math.max(0, Math.min(d.rows[t].length - 1, i))];
    if (name !== "elsewhere") go({ object: name });
  });
  new ResizeObserver(() => c.isConnected && Math.abs(width - Math.max(320, frame.clientWidth)) > 1 && draw()).observe(frame);
  queueMicrotask(draw);  // once it stands in the page
  return h("div", {}, diff ? h("div", { class: "legend" }, stateKey(), h("span", { class: "quiet" }, `lines: solid added, dashed removed, dotted both${unlisted() ? "; of very many cables, the first of each list" : ""}`)) : null, frame, d.folded ? h("p", { class: "quiet" }, "End points are drawn by their racks.") : null, [...marks().keys()].some(o => d.index.has(spotOf(o))) ? h("p", {}, `▲ marks ${markWord}: ${[...marks().keys()].filter(o => d.index.has(spotOf(o))).slice(0, 12).join(", ")}${marks().size > 12 ? " …" : ""}.${linksMarked().size ? " Dashed lines are cables that are named." : ""}`) : null);
}

export function fabricView(): HTMLElement {
  const place = here();
  if (!networks.length) return h("div", {}, h("h2", {}, "Fabric"), h("p", {}, "The spec names no networks."));
  const most = networks.reduce((best, _, i) => (plan.fabrics[i]?.carries?.includes("compute") && best < 0 ? i : best), -1);
  const n = Math.max(0, networks.indexOf(place.network ?? networks[Math.max(0, most)]));
  const f = plan.fabrics[n], rails = linkCount(n) > 0 && f.rails > 1 && objects.some(o => o.startsWith(`leaf/${networks[n]}/`) && o.endsWith("/r1")), tiers: any[] = f?.tiers ?? [];
  const gpuNodes = servers.filter(g => g.gpus > 0).flatMap(g => (g.count > 1 ? [hosts[g.first], hosts[g.first + g.count - 1]] : [hosts[g.first]]));
  const from = h("input", { value: place.from ?? `${gpuNodes[0] ?? ""}:0` }), end = h("input", { value: place.to ?? `${gpuNodes[gpuNodes.length - 1] ?? ""}:0` });
  const out = h("div", {}, h("h2", {}, "Fabric"),
    h("div", { class: "tools" }, choice("Network", networks.map((w, i) => [w, `${w} (${plural(linkCount(i), "link")})`]), networks[n], network => go({ network, from: "", to: "", rail: "" })),
      rails ? choice("Links of", [["", "all rails"], ...Array.from({ length: f.rails }, (_, i): [string, string] => [String(i + 1), `rail ${i + 1}`])], place.rail ?? "", rail => go({ rail })) : null),
    linkCount(n) ? canvas(n, rails ? place.rail ?? "" : "") : h("p", {}, "This network has no cables of its own: its members share the switches of another one, or a cloud provides it."),
    h("p", {}, `${rate(f.link_bit_s)} a link · ${f.planes > 1 ? `${f.planes} planes · ` : ""}${f.rails > 1 ? `${f.rails} rails · ` : ""}${f.units > 1 ? `${f.units} units of ${f.unit} nodes · ` : ""}oversubscription ${digits(f.oversubscription)} to 1`
      + ` · ${count(f.end_ports)} end ports of ${count(f.end_ports_built_for)} built for`),
    tiers.length ? table({ caption: `Tiers of '${networks[n]}'`, rows: tiers.length, columns: [
      { name: "Tier", text: i => tiers[i].tier }, { name: "Switch", text: i => tiers[i].model }, { name: "Count", text: i => count(tiers[i].count), number: true },
      { name: "Ports", text: i => String(tiers[i].ports ?? "unknown"), number: true }, { name: "Down", text: i => String(tiers[i].down), number: true }, { name: "Up", text: i => String(tiers[i].up), number: true }] }) : null);
  const loads: any[] = f.link_loads ?? [];
  if (loads.length) out.append(table({ caption: "Loads of links by traffic pattern, with routing by destination", rows: loads.length, link: o => to("fabric", { object: o }), columns: [{ name: "Pattern", text: i => loads[i].pattern },
    { name: "Fullest link", text: i => digits(loads[i].worst), key: i => loads[i].worst, number: true }, { name: "Mean", text: i => digits(loads[i].mean), key: i => loads[i].mean, number: true }, { name: "Which", text: i => loads[i].link, object: i => ownerOf(loads[i].link.split(" to ")[0]) }] }),
  h("p", { class: "quiet" }, "Flows of a link, each of what an end port sends, over the end ports that the link is as fast as: at 1 and below, nothing waits."));
  if (linkCount(n) && gpuNodes.length) out.append(h("h3", {}, "Path between two GPUs"),
    h("form", { class: "tools", submit: (event: Event) => { event.preventDefault(); go({ network: networks[n], from: from.value, to: end.value }); } },
      labelled("From (host:GPU)", from), labelled("To", end), h("button", {}, "Trace")),
    ...(place.from && place.to ? [tracePath(n, place.from, place.to)] : []));
  if (linkCount(n)) { const d = (): [string, number][] => [...drawing(n).pairs, ...[...drawing(n).changed.keys()].filter(k => !drawing(n).pairs.has(k)).map((k): [string, number] => [k, 0])];
    out.append(below("Picture as a table", () => { const pairs = d(); return table({ caption: `Joined in '${networks[n]}'`, rows: pairs.length, link: o => to("fabric", { object: o }), columns: [
      { name: "From", text: i => pairs[i][0].split("\n")[0], object: i => pairs[i][0].split("\n")[0] }, { name: "To", text: i => pairs[i][0].split("\n")[1], object: i => pairs[i][0].split("\n")[1] },
      { name: "Links", text: i => String(pairs[i][1]), key: i => pairs[i][1], number: true },
      ...(diff ? [{ name: "Change", text: (i: number) => { const c = drawing(n).changed.get(pairs[i][0]); return c ? `${SIGN[c.state]} ${c.state}: ${plural(c.links, "link")}` : ""; } }, { name: "Ends", text: (i: number) => pairs[i][0].split("\n").filter(o => changesOf().has(o)).map(o => `${o}: ${stateText(o)}`).join("; "), wide: true }] : [])] }); })); }
  return out;
}

// The inside of one server: sockets, PCIe switches, devices, and what NVLink joins.
export function serverView(): HTMLElement {
  const place = here(), known = servers.filter(g => g.sockets?.length || g.gpus);
  if (!known.length) return h("div", {}, h("h2", {}, "Server"), h("p", {}, "No server of this plan states what is inside it."));
  const own = place.object ? serverOf(place.object) : undefined;
  const g = known.find(x => x.group === place.group) ?? (own && known.includes(own) ? own : known.find(x => x.gpus > 0) ?? known[0]);
  const of = (socket: number, through: number) => g.devices.map((d: any, i: number) => ({ ...d, i })).filter((d: any) => d.socket === socket && d.through === through);
  const W = 134, parts: SVGElement[] = [], inTree = (g.devices ?? []).some((d: any) => d.kind === "gpu"), row = (g.switches ?? []).length ? 116 : 62;
  let x = 4, bottom = 0;
  const device = (d: any, left: number, top: number) => {
    parts.push(s("g", { class: "box " + d.kind, transform: `translate(${left} ${top})` }, s("title", {}, d.lanes ? `${d.name} in ${d.slot || "no stated slot"}: x${d.lanes} ${d.generation ? `PCIe ${d.generation}.0` : ""} ${d.rate ?? ""}` : d.name),
      s("rect", { width: W - 10, height: 40, rx: 4 }), s("text", { x: 6, y: 16, class: "title" }, d.name.length > 18 ? d.name.slice(0, 17) + "…" : d.name), s("text", { x: 6, y: 31, class: "small" }, d.lanes ? `x${d.lanes}${d.generation ? ` gen ${d.generation}` : ""}` : "not in the PCIe tree")));
    bottom = Math.max(bottom, top + 44);
  };
  (g.sockets ?? []).forEach((socket: any, k: number) => {
    const begin = x, put = (list: any[], top: number) => { list.forEach((d, i) => device(d, x, top + i * 46)); x += W; };
    const direct = of(k, -1);
    for (let i = 0; i < direct.length; i += 4) put(direct.slice(i, i + 4), row);
    (g.switches ?? []).forEach((w: any, j: number) => {
      if (w.socket !== k) return;
      const list = of(k, j), columns = Math.max(1, Math.ceil(list.length / 4)), start = x;
      for (let i = 0; i < Math.max(1, list.length); i += 4) put(list.slice(i, i + 4), 116);
      parts.push(s("g", { class: "box switch", transform: `translate(${start} 62)` }, s("rect", { width: columns * W - 10, height: 40, rx: 4 }), s("text", { x: 6, y: 16, class: "title" }, `switch ${w.name}`), s("text", { x: 6, y: 31, class: "small" }, `up x${w.uplink_lanes}${w.generation ? ` gen ${w.generation}` : ""}`)));
    });
    if (x === begin) x += W;
    parts.push(s("g", { class: "box", transform: `translate(${begin} 6)` }, s("rect", { width: Math.max(W, x - begin) - 10, height: 40, rx: 4 }), s("text", { x: 6, y: 16, class: "title" }, socket.name), s("text", { x: 6, y: 31, class: "small" }, `${socket.lanes_used}${socket.lanes ? ` of ${socket.lanes}` : ""} lanes`)));
    bottom = Math.max(bottom, 110);
    x += 14;
  });
  if (g.sockets?.length && g.gpus) {  // GPUs beside the tree, and what joins them
    if (!inTree) {
      for (let i = 0; i < Math.min(g.gpus, 16); ++i) device({ name: `GPU ${i}`, kind: "gpu", lanes: 0, slot: "" }, 4 + i * W, bottom + 8 - (i ? 52 : 0));
      x = Math.max(x, Math.min(g.gpus, 16) * W + 4);
    }
    if (g.joined > 1) {
      const wide = Math.max(W * 3, (inTree ? x - 14 : Math.min(g.gpus, 16) * W + 4) - 14);
      x = Math.max(x, wide + 8);
      parts.push(s("g", { class: "box nvlink", transform: `translate(4 ${bottom + 8})` }, s("rect", { width: wide, height: 40, rx: 4 }), s("text", { x: 6, y: 16, class: "title" }, `NVLink or its like: ${g.joined === g.gpus ? "all" : g.joined} GPUs`),
        s("text", { x: 6, y: 31, class: "small" }, `${g.gpu_link ? `${g.gpu_link} one way for each GPU` : "rate not stated"}${g.domain_gpus > g.gpus ? ` · domain of ${g.domain_gpus}` : ""}`)));
      bottom += 52;
    }
  }
  const devices: any[] = g.devices ?? [], pairs: any[] = g.pairs ?? [];
  return h("div", {}, h("h2", {}, "Server"),
    h("div", { class: "tools" }, choice("Node group", known.map(k => [k.group, `${k.group} (${plural(k.count, "node")})`]), g.group, group => go({ group }))),
    h("p", {}, g.gpus ? `${plural(g.gpus, "GPU")} in each node. ` : "No GPUs. ", g.joined > 1 ? `NVLink, or its like, joins ${g.joined} of them inside the node${g.gpu_link ? `, ${g.gpu_link} one way for each GPU` : ""}. ` : g.gpus ? "No links join them inside the node but PCIe. " : "",
      g.domain_gpus > g.gpus ? `An NVLink domain spans ${g.domain_gpus} GPUs of ${Math.round(g.domain_gpus / g.gpus)} nodes.` : ""),
    g.sockets?.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "PCIe tree" }, s("svg", { width: x, height: bottom + 8, viewBox: `0 0 ${x} ${bottom + 8}`, role: "img", class: "chain", "aria-label": `PCIe tree of '${g.group}'` }, ...parts)) : h("p", {}, "The catalogue states no PCIe tree of this server."),
    devices.length ? table({ caption: "Devices of the PCIe tree", rows: devices.length, columns: [{ name: "Device", text: i => devices[i].name }, { name: "Socket", text: i => g.sockets[devices[i].socket]?.name ?? "" },
      { name: "Behind switch", text: i => g.switches[devices[i].through]?.name ?? "" }, { name: "Slot", text: i => devices[i].slot }, { name: "Lanes", text: i => `x${devices[i].lanes}`, number: true }, { name: "PCIe", text: i => (devices[i].generation ? `${devices[i].generation}.0` : "unknown"), number: true },
      { name: "One direction", text: i => devices[i].rate ?? "unknown", number: true }] }) : null,
    pairs.length ? table({ caption: "Which adapter each GPU uses", rows: pairs.length, columns: [{ name: "GPU", text: i => String(pairs[i].gpu), number: true }, { name: "Adapter", text: i => `${pairs[i].nic}[${pairs[i].index}]` }, { name: "Ports", text: i => `${pairs[i].ports}/${pairs[i].first_port}` },
      { name: "Way", text: i => pairs[i].relation }, { name: "Narrowest link", text: i => pairs[i].rate ?? "unknown", number: true }] }) : null);
}
