// What the failure of one component does, in the words and figures of `plan --what-if each`.
import { failure, normal, type Failure, type State } from "./data";
import { h } from "./dom";
import { air, count, percent, plural, quantity, va } from "./format";
import { here, to } from "./state";

export function consequences(state: State): string[] {
  const out: string[] = [];
  const n = state.nodes, g = state.gpus;
  const verb = (k: number, word: string) => (k === 1 ? word + "s" : word);
  for (const t of state.trips) out.push(trip(t));
  if (n.dead_count) out.push(`${plural(n.dead_count, "node")} ${verb(n.dead_count, "stop")}: ${n.dead}`);
  if (g.dead) out.push(`${plural(g.dead, "GPU")} ${verb(g.dead, "stop")}`);
  if (n.throttled_count) out.push(`${plural(n.throttled_count, "node")} ${verb(n.throttled_count, "throttle")}: ${n.throttled}`);
  for (const w of state.networks) {
    if (w.cut_off_count) out.push(`${plural(w.cut_off_count, "node")} without network '${w.network}': ${w.cut_off}`);
    if (w.cut_off_storage) out.push(`${plural(w.cut_off_storage, "storage system")} without network '${w.network}'`);
    if (w.degraded) out.push(`${plural(w.degraded, "member")} of '${w.network}' with fewer ports`);
    if (w.bisection_share < 1) out.push(`'${w.network}' keeps ${percent(w.bisection_share)} of its bisection bandwidth`);
    if (w.all_reduce_share !== null && w.all_reduce_share < 1) out.push(`all-reduce keeps ${percent(w.all_reduce_share)} of its rate`);
  }
  if (g.cut_off) out.push(`${plural(g.cut_off, "GPU")} cut off`);
  for (const v of state.services) out.push(`${v.name}: ${v.left} of ${v.of} servers left${v.lost ? ", lost" : ""}`);
  for (const z of state.zones) out.push(`cooling '${z.zone}': ${z.units_left} of ${z.units} units left${z.inlet_rise_k ? `, inlets ${z.inlet_rise_k.toFixed(1)} K warmer` : ""}`);
  for (const l of state.limits) out.push(limit(l));
  const mains: Record<string, string> = { bridged: "its UPS lasts until the generator has taken the load", restarts: "dark until the generator has taken the load",
    lost: "dark once its UPS is empty", unjudged: "unjudged: the spec does not state how long its UPS lasts, or when a generator takes the load" };
  for (const m of state.mains ?? []) out.push(`feed '${m.feed}': ${mains[m.state]}`);
  return out;
}
const units: Record<string, string> = { power: "W" };
const numbers = (t: any, unit: string) => `${quantity(t.load, unit)} of ${quantity(t.limit, unit)}`;
const several = (t: any) => t.objects.length > 1 || /[[{]/.test(t.objects[0] ?? "");
const trip = (t: any) => `${t.objects.join(", ")} ${several(t) ? "trip" : "trips"}: ${several(t) ? "up to " : ""}${numbers(t, t.unit)}`;
function limit(l: any): string {
  const who = l.objects.join(", "), figures = l.dimension === "air flow" ? `${air(l.load)} of ${air(l.limit)}` : numbers(l, units[l.dimension] ?? "VA");
  if (l.kind === "cooling") return `${who} ${l.dimension === "air flow" ? "needs air" : "has to remove"}: ${figures}`;
  if (l.kind === "generator") return `${who} must supply ${figures}, and stops`;
  return `${who} above ${several(l) ? "their" : "its"} continuous rating: ${several(l) ? "up to " : ""}${figures}`;
}

export function summary(f: Failure): string {
  const all = consequences(f.state);
  return all.length ? all.map(c => c.replace(/: .{60,}$/, "")).join("; ") : "nothing stops and no limit is exceeded";
}

// The banner above every view while a component is cut.
export function banner(): HTMLElement | null {
  const cut = here().cut;
  if (!cut) return null;
  const found = failure(cut);
  const list = found ? consequences(found.state) : [];
  return h("section", { class: "cut", "aria-label": "Failure" },
    h("div", { class: "row" }, h("strong", {}, `✂ ${cut} has failed`), h("a", { href: to(here().view, { cut: "" }) }, "Repair")),
    !found ? h("p", {}, `The page holds no single failure of ${cut}. `, h("code", {}, `clusterc plan SPEC --what-if ${cut.replace("/", ":")}`), " computes it.")
      : list.length ? h("ul", {}, ...list.map(c => h("li", {}, c))) : h("p", {}, "Nothing stops, and no limit is exceeded."),
    found && found.example !== cut
      ? h("p", { class: "quiet" }, `${count(found.count)} components have the same outcome. The names and loads above are those of ${found.example}.`) : null,
    found ? h("p", { class: "quiet" }, "Feeds now: ", Object.entries(found.state.feeds_va).map(([name, load]) =>
      `${name} ${va(load)} (before: ${va(normal.feeds_va[name])})`).join(" · ")) : null);
}
