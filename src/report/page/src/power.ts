import { amps, failures, feeds, groupOfRack, pdus, plan, rackNumber, type Pdu } from "./data";
import { h, s } from "./dom";
import { count, percent, plural, va, watts } from "./format";
import { go, here, to } from "./state";
import { summary } from "./cut";
import { below, table } from "./table";
import { diff, feedsBefore, pdusBefore, SIGN, stateOf, why, type State } from "./changes";
import { stateKey } from "./hall";

interface Box { object: string; title: string; text: string; share: number; level: number; from: string[]; cut: string; state?: State; was?: string }

// Alike PDUs as one box: those of a rack group with the same letter, feed and panel. The one that carries most speaks.
function boxes(): Box[] {
  const out: Box[] = [], chosen = here().object ?? "";
  for (const g of plan.generators ?? [])
    out.push({ object: `generator/${g.name}`, title: `generator ${g.name}`, text: `${watts(g.load_w)} of ${watts(g.rating_w)}`, share: g.rating_w ? g.load_w / g.rating_w : 0, level: 0, from: [], cut: `generator/${g.name}` });
  for (const f of feeds) {
    const limit = f.breaker_va ?? f.capacity_va ?? 0;
    out.push({ object: `feed/${f.name}`, title: `feed ${f.name}${f.ups ? ` · UPS ${f.ups.modules} modules` : ""}`, level: 1, cut: `feed/${f.name}`,
      text: `${va(f.worst_at_breaker_va)} of ${limit ? va(limit) : "unknown"}`, share: limit ? f.worst_at_breaker_va / limit : 0, from: f.generator ? [`generator/${f.generator}`] : [] });
  }
  for (const t of plan.transfer_switches ?? [])
    out.push({ object: `transfer/${t.name}`, title: `transfer switch ${t.name}`, text: `${va(t.worst_va)} of ${va(t.rating_va)}`, share: t.rating_va ? t.worst_va / t.rating_va : 0, level: 2, from: t.sources.map((x: string) => `feed/${x}`), cut: `transfer/${t.name}` });
  for (const p of plan.panels)
    out.push({ object: `panel/${p.name}`, title: `panel ${p.name}`, text: p.continuous_va ? `carries ${va(p.continuous_va)}` : "", share: 0, level: 2, from: p.feed ? [`feed/${p.feed}`] : [], cut: `panel/${p.name}` });
  const alike = new Map<string, { worst: Pdu; n: number; all: Pdu[] }>();
  const rack = chosen.startsWith("pdu/") ? chosen.slice(4, chosen.lastIndexOf("/")) : chosen.replace(/^rack\//, "");
  for (const p of pdus) {
    const name = p.name.slice(4, p.name.lastIndexOf("/")), own = name === rack;
    const group = groupOfRack()[rackNumber().get("rack/" + name) ?? -1]?.name ?? "";
    const key = own ? p.name : `${group}\n${p.name.slice(-1)}\n${p.feed}\n${p.panel ?? ""}\n${p.transfer ?? ""}`;
    const had = alike.get(key), share = (x: Pdu) => x.worst_va / (x.continuous_va ?? Infinity);
    if (!had) alike.set(key, { worst: p, n: 1, all: [p] });
    else { ++had.n; had.all.push(p); if (share(p) > share(had.worst)) had.worst = p; }
  }
  for (const [key, { worst, n, all }] of alike) {
    const group = key.split("\n")[0];
    out.push({ object: worst.name, cut: worst.name, level: 3, title: n > 1 ? `${plural(n, "PDU")} ${worst.name.slice(-1)} of '${group}'` : worst.name,
      text: `${n > 1 ? `at most ` : ""}${va(worst.worst_va)} of ${worst.continuous_va ? va(worst.continuous_va) : "unknown"}`, share: worst.continuous_va ? worst.worst_va / worst.continuous_va : 0,
      ...changeOf(all), from: [worst.transfer ? `transfer/${worst.transfer}` : worst.panel ? `panel/${worst.panel}` : `feed/${worst.feed}`] });
  }
  const shelves = new Map<string, number>();
  for (const r of plan.racks) for (const f of r.shelf_feeds ?? []) shelves.set(`${r.group}\n${f}`, (shelves.get(`${r.group}\n${f}`) ?? 0) + 1);
  for (const [key, n] of shelves) {
    const [group, feed] = key.split("\n");
    out.push({ object: `feed/${feed}`, cut: "", level: 3, title: `${plural(n, "power shelf").replace("shelfs", "shelves")} of '${group}'`, text: `on feed ${feed}`, share: 0, from: [`feed/${feed}`] });
  }
  return out;
}

// What changes of alike PDUs: signs, and the greatest load that they had.
function changeOf(all: Pdu[]): { state?: State; was?: string } {
  if (!diff) return {};
  const olds = all.map(p => pdusBefore().get(p.name)), fresh = olds.filter(o => o === undefined).length, most = olds.reduce((a: number, b) => Math.max(a, b ?? 0), 0);
  if (fresh === all.length) return { state: "added", was: "added" };
  const other = all.filter(p => stateOf(p.name) === "changed").length, now = all.reduce((a, p) => Math.max(a, p.worst_va), 0), text = [fresh ? `${count(fresh)} added` : "", other ? `${count(other)} with ${why(all.find(p => stateOf(p.name))!.name)}` : "", va(most) !== va(now) ? `before: ${va(most)}` : ""].filter(x => x).join(", ");
  return text ? { state: "changed", was: text } : {};
}
// Feeds that carry something else, and what is gone.
function changed(all: Box[]): Box[] {
  if (!diff) return all;
  for (const b of all) if (b.level === 1) {
    const f = feeds.find(x => `feed/${x.name}` === b.object)!, old = feedsBefore().get(b.object);
    if (old === undefined) Object.assign(b, { state: "added", was: "added" });
    else if (va(old) !== va(f.worst_at_breaker_va)) Object.assign(b, { state: "changed", was: `before: ${va(old)}` });
  }
  const gone = (name: string, level: number, text: string): Box => ({ object: name, title: name, text, share: 0, level, from: [], cut: "", state: "removed", was: "removed" }), there = new Set(feeds.map(f => `feed/${f.name}`)), kept = new Set(pdus.map(p => p.name));
  for (const [name, load] of feedsBefore()) if (!there.has(name)) all.push(gone(name, 1, `carried ${va(load)}`));
  const lost = [...pdusBefore()].filter(([name]) => !kept.has(name));
  if (lost.length) all.push({ ...gone(lost[0][0], 3, `carried at most ${va(Math.max(...lost.slice(0, 50000).map(l => l[1])))}`), title: lost.length > 1 ? `${plural(lost.length, "PDU")} that are removed` : lost[0][0] });
  return all;
}

function chain(): HTMLElement {
  const all = changed(boxes());
  if (!all.length) return h("p", {}, "The spec names no feeds and no PDUs: the power of this site is not ours to plan.");
  const levels = [0, 1, 2, 3].filter(l => all.some(b => b.level === l));
  const W = 236, H = diff ? 70 : 54, GX = 60, GY = 12, cut = here().cut, at = new Map<Box, { x: number; y: number }>();
  let height = 0;
  levels.forEach((level, i) => {
    const column = all.filter(b => b.level === level).slice(0, 60);
    column.forEach((b, k) => at.set(b, { x: i * (W + GX) + 4, y: k * (H + GY) + 28 }));
    height = Math.max(height, column.length * (H + GY) + 32);
  });
  for (const level of levels) {  // each column in the middle
    const column = [...at].filter(([b]) => b.level === level), off = (height - 32 - column.length * (H + GY)) / 2;
    for (const [, p] of column) p.y += off;
  }
  const words = ["Generators", "Feeds", "Panels and transfer switches", "PDUs and shelves"];
  const parts: SVGElement[] = levels.map((l, i) => s("text", { x: i * (W + GX) + 4, y: 16, class: "heading" }, words[l]));
  for (const [b, p] of at) for (const from of b.from) {
    const source = [...at.keys()].find(x => x.object === from && x.level < b.level), q = source && at.get(source);
    if (!q) continue;
    const x1 = q.x + W, y1 = q.y + H / 2, x2 = p.x, y2 = p.y + H / 2;
    parts.push(s("path", { d: `M${x1} ${y1}C${x1 + GX / 2} ${y1} ${x2 - GX / 2} ${y2} ${x2} ${y2}`, class: "wire" + (cut === source.cut ? " dead" : "") }));
  }
  for (const [b, p] of at) parts.push(s("g", { class: "box" + (here().object === b.object ? " chosen" : "") + (cut && cut === b.cut ? " dead" : "") + (b.state ? ` changes ${b.state}` : ""), "data-object": b.object, transform: `translate(${p.x} ${p.y})` },
    s("rect", { width: W, height: H, rx: 4 }), s("text", { x: 8, y: 18, class: "title" }, (cut && cut === b.cut ? "✂ " : "") + (b.state ? SIGN[b.state] + " " : "") + (b.title.length > 30 ? b.title.slice(0, 29) + "…" : b.title)),
    s("text", { x: 8, y: 34, class: "small" }, b.text + (b.share ? ` (${percent(b.share)})` : "")),
    b.share ? s("rect", { x: 8, y: 42, width: W - 16, height: 5, class: "track" }) : null,
    b.share ? s("rect", { x: 8, y: 42, width: (W - 16) * Math.min(1, b.share), height: 5, class: b.share > 1 ? "fill over" : b.share > 0.9 ? "fill near" : "fill" }) : null,
    b.was ? s("text", { x: 8, y: 62, class: "small" }, b.was.length > 34 ? b.was.slice(0, 33) + "…" : b.was) : null,
    s("title", {}, `${b.title}: ${b.text}${b.was ? `; ${b.was}` : ""}`)));
  const width = levels.length * (W + GX) - GX + 8;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Power chain", click: (event: MouseEvent) => {
    const object = (event.target as Element).closest?.("[data-object]")?.getAttribute("data-object");
    if (object) go({ object });
  } }, s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Power chain from the feeds to the PDUs with worst loads and limits", class: "chain" }, ...parts));
}

function lines(i: number, at: number): string {
  const n = (amps[i].length - 1) / 2;
  return n > 0 ? amps[i].slice(1 + at * n, 1 + (at + 1) * n).map(a => a.toFixed(1)).join(" · ") + " A" : "unknown";
}

// The boxes of the picture.
function boxTable(): HTMLElement {
  const all = changed(boxes());
  return table({ caption: "Boxes of the power chain", rows: all.length, link: o => to("power", { object: o }), columns: [{ name: "What", text: i => all[i].title, object: i => all[i].object }, { name: "Carries", text: i => all[i].text, wide: true }, { name: "Used", text: i => (all[i].share ? percent(all[i].share) : ""), key: i => all[i].share, number: true }, { name: "Supplied by", text: i => all[i].from.join(", ") },
    ...(diff ? [{ name: "Change", text: (i: number) => { const b = all[i]; return b.state ? `${SIGN[b.state]} ${b.state}${b.was !== b.state ? `: ${b.was}` : ""}` : "none"; }, wide: true }] : [])] });
}

export function powerView(): HTMLElement {
  const share = (p: Pdu) => (p.continuous_va ? p.worst_va / p.continuous_va : 0);
  return h("div", {}, h("h2", {}, "Power"),
    h("p", { class: "quiet" }, "Each box shows what it carries after the loss of the feed that is worst for it, and its limit. Choose a rack or PDU to see its own PDUs apart; choose a box and press Cut to see what its failure does."),
    diff ? h("div", { class: "legend" }, stateKey()) : null,
    chain(),
    below("Power chain as a table", () => h("div", {}, boxTable(), table({ caption: "Feeds", rows: feeds.length, link: o => to("power", { object: o }), columns: [
      { name: "Feed", text: i => `feed/${feeds[i].name}`, object: i => `feed/${feeds[i].name}` },
      { name: "All feeds alive", text: i => va(feeds[i].normal_at_breaker_va), number: true, key: i => feeds[i].normal_at_breaker_va },
      { name: "Worst", text: i => va(feeds[i].worst_at_breaker_va), number: true, key: i => feeds[i].worst_at_breaker_va }, { name: "After losing", text: i => feeds[i].after_losing },
      { name: "Breaker", text: i => va(feeds[i].breaker_va), number: true, key: i => feeds[i].breaker_va ?? 0 }] }))),
    table({ caption: "Single failures, the worst first", rows: failures.length, columns: [
      { name: "Kind", text: i => failures[i].kind }, { name: "Count", text: i => count(failures[i].count), key: i => failures[i].count, number: true },
      { name: "Components", text: i => failures[i].components.slice(0, 3).join(", ") + (failures[i].components.length > 3 ? ` and ${failures[i].components.length - 3} patterns more` : ""), object: i => failures[i].example, wide: true },
      { name: "What follows", text: i => summary(failures[i]), wide: true }], link: cut => to("power", { cut }) }),
    pdus.length ? table({ caption: "PDUs: apparent power and current of each line", rows: pdus.length, link: o => to("power", { object: o }), columns: [
      { name: "PDU", text: i => pdus[i].name, object: i => pdus[i].name, key: i => i }, { name: "Feed", text: i => pdus[i].feed },
      { name: "All feeds alive", text: i => va(pdus[i].normal_va), key: i => pdus[i].normal_va, number: true }, { name: "Worst", text: i => va(pdus[i].worst_va), key: i => pdus[i].worst_va, number: true },
      ...(diff ? [{ name: "Worst before", text: (i: number) => { const b = pdusBefore().get(pdus[i].name); return b === undefined ? "+ added" : va(b); }, key: (i: number) => pdusBefore().get(pdus[i].name) ?? -1, number: true }] : []),
      { name: "Continuous", text: i => va(pdus[i].continuous_va), key: i => pdus[i].continuous_va ?? 0, number: true }, { name: "Used", text: i => percent(share(pdus[i])), key: i => share(pdus[i]), number: true },
      { name: "Lines, all alive", text: i => lines(i, 0) }, { name: "Lines, worst", text: i => lines(i, 1) }, { name: "Limit of a line", text: i => (amps[i].length ? `${amps[i][0]} A` : "unknown"), number: true, key: i => amps[i][0] ?? 0 }] }) : null);
}
