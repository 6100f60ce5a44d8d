// The view "Changes" of the page of `diff`.
import { racks, rackOfObject } from "./data";
import { changes, changesOf, diff, oldRacks, SIGN, totals, unlisted, type State } from "./changes";
import { choice, h } from "./dom";
import { count, digits, percent, plural, quantity, watts } from "./format";
import { floorPlan, goneTable } from "./hall";
import { go, here, to } from "./state";
import { below, table } from "./table";

// Where an object is best seen.
export function viewOf(object: string): string {
  const kind = object.split("/")[0];
  return kind === "feed" || kind === "pdu" ? "power" : kind === "zone" ? "cooling" : "hall";
}
export const verdictOfDiff = (): string => {
  const n = totals();
  return (Object.keys(n) as State[]).map(k => `${SIGN[k]} ${count(n[k])} ${k}`).join(", ");
};

const FIGURES: [string, string, (v: number) => string][] = [["Nodes", "nodes", count], ["GPUs", "gpus", count], ["Racks in use", "racks_used", count], ["Without a place", "without_a_place", count], ["Switches", "switches", count], ["Links", "links", count],
  ["Power and heat", "power_w", watts], ["Heat into liquid", "liquid_heat_w", watts], ["Typical power", "power_typical_w", watts], ["Power of the site", "site_power_w", watts], ["Bisection bandwidth", "bisection_bit_s", v => quantity(v, "b/s")]];
function figures(): HTMLElement {
  const a = diff.before.figures, b = diff.after.figures, rows: { name: string; was: string; is: string; change: string }[] = [];
  const add = (name: string, x: number | undefined, y: number | undefined, text: (v: number) => string) => {
    if (!x && !y) return;
    const was = x ?? 0, is = y ?? 0, d = is - was;
    rows.push({ name, was: text(was), is: text(is), change: text(was) === text(is) ? "same" : `${d > 0 ? "+" : "−"}${text(Math.abs(d))}${was ? ` (${d > 0 ? "+" : "−"}${percent(Math.abs(d) / was)})` : ""}` });
  };
  for (const [name, key, text] of FIGURES) add(name, a[key], b[key], text);
  if (a.cost && b.cost && a.cost.currency === b.cost.currency) for (const [name, key] of [["Purchase", "purchase"], ["Cost of a year", "total_per_year"]]) add(name, a.cost[key], b.cost[key], v => `${digits(v)} ${b.cost.currency}`);
  for (const key of ["errors", "warnings"]) add(key[0].toUpperCase() + key.slice(1), a.findings[key], b.findings[key], count);
  return table({ caption: "Figures", rows: rows.length, columns: [{ name: "Figure", text: i => rows[i].name }, { name: "Before", text: i => rows[i].was, number: true }, { name: "Now", text: i => rows[i].is, number: true }, { name: "Change", text: i => rows[i].change, number: true }] });
}

function findings(): HTMLElement | null {
  const words: [string, string][] = [["new", "+ new"], ["gone", "− gone"], ["changed", "~ other numbers"]], rows = words.flatMap(([k, word]) => diff.findings[k].map((f: any) => ({ ...f, word })));
  return rows.length ? table({ caption: "Findings that are new, gone or have other numbers", rows: rows.length, columns: [{ name: "Change", text: i => rows[i].word }, { name: "Severity", text: i => rows[i].severity }, { name: "Finding", text: i => rows[i].message, wide: true }, { name: "Before", text: i => rows[i].before ?? "", wide: true },
    { name: "Place", text: i => (rows[i].file ? `${rows[i].file}:${rows[i].line}` : "") }, { name: "Rule", text: i => rows[i].rule }] }) : null;
}

export function changesView(): HTMLElement {
  const place = here(), state = place.state ?? "", all = changes().filter(c => !state || c.state === state), written: any[] = diff.written, parts: any[] = diff.parts;
  const files: any[] = (diff.files ?? []).flatMap((l: any) => l.objects.map((o: any) => ({ state: l.what.split(" ")[0], path: o.object })));
  const sign = (word: string) => (word === "new" ? "+ new" : word === "gone" ? "− gone" : "~ changed");
  return h("div", {}, h("h2", {}, "Changes"),
    h("p", { class: "verdict" }, diff.same ? "✔ Nothing changes" : verdictOfDiff(), h("span", {}, `from ${diff.before.name} to ${diff.after.name}`)),
    figures(),
    written.length ? table({ caption: "What was written", rows: written.length, columns: [{ name: "Key", text: i => written[i].path }, { name: "Change", text: i => (!written[i].before ? "+ added" : !written[i].after ? "− removed" : "~ changed") }, { name: "Before", text: i => written[i].before, wide: true }, { name: "Now", text: i => written[i].after, wide: true }] }) : null,
    racks.length || oldRacks.length ? h("div", {}, h("h3", {}, "Floor plan"), floorPlan(null, new Set(), rackOfObject(place.object ?? ""), "hall"), goneTable()) : null,
    h("h3", {}, "Objects"),
    h("div", { class: "tools" }, choice("Show", [["", "all changes"], ["added", "+ added"], ["removed", "− removed"], ["changed", "~ changed"]], state, value => go({ state: value }))),
    unlisted() ? h("p", { class: "quiet" }, `The page lists ${count(changes().length)} changes; ${count(unlisted())} more are in clusterc diff --format json.`) : null,
    table({ caption: "Changes of objects and cables", rows: all.length, search: true, link: o => to(viewOf(o), { object: o }), columns: [
      { name: "Change", text: i => `${SIGN[all[i].state]} ${all[i].state}` }, { name: "Object", text: i => all[i].name, object: i => all[i].object }, { name: "What is done", text: i => all[i].word }, { name: "Of", text: i => all[i].what, wide: true },
      { name: "Before", text: i => all[i].before, wide: true }, { name: "Now", text: i => all[i].after, wide: true }] }),
    parts.length ? table({ caption: "Parts to buy, or left over", rows: parts.length, columns: [{ name: "Change", text: i => (parts[i].after > parts[i].before ? `+ ${count(parts[i].after - parts[i].before)} to buy` : `− ${count(parts[i].before - parts[i].after)} left over`), key: i => parts[i].after - parts[i].before }, { name: "Part", text: i => parts[i].part }, { name: "What", text: i => parts[i].what, wide: true },
      { name: "Length", text: i => (parts[i].length_m ? `${digits(parts[i].length_m)} m` : ""), key: i => parts[i].length_m ?? 0, number: true }, { name: "Before", text: i => count(parts[i].before), key: i => parts[i].before, number: true }, { name: "Now", text: i => count(parts[i].after), key: i => parts[i].after, number: true }] }) : null,
    findings(),
    files.length ? below(`${plural(files.length, "compiled file")} that change`, () => table({ caption: "Compiled files", rows: files.length, search: true, columns: [{ name: "Change", text: i => sign(files[i].state) }, { name: "File", text: i => files[i].path }] })) : null,
    diff.files_not_compared ? h("p", { class: "quiet" }, `Compiled files were not compared: ${diff.files_not_compared}.`) : null);
}

// Of the selected object.
export function changesAt(object: string): HTMLElement | null {
  const mine = changesOf().get(object) ?? [];
  return mine.length ? h("div", {}, h("h3", {}, plural(mine.length, "change")), h("ul", {}, ...mine.slice(0, 20).map(c => h("li", {}, `${SIGN[c.state]} ${c.word === c.state ? "" : `${c.state}: `}${c.cable ? `${c.name}: ` : ""}${c.word}${c.before || c.after ? ` (${[c.before && `before: ${c.before}`, c.after && `now: ${c.after}`].filter(x => x).join("; ")})` : ""}`))),
    mine.length > 20 ? h("p", { class: "quiet" }, `${count(mine.length - 20)} more in Changes.`) : null) : null;
}
