import { failures, feeds, findings, margins, marginsInAll, networks, objectNumber, plan, rackOfObject, servers, severityRank, specPath } from "./data";
import { h } from "./dom";
import { count, percent, plural, watts } from "./format";
import { go, to } from "./state";
import { table } from "./table";
import { summary } from "./cut";

const symbol: Record<string, string> = { error: "✖", warning: "▲", note: "●" };

export function bar(share: number): HTMLElement {
  const inner = h("span", { class: share > 1 ? "over" : share > 0.9 ? "near" : "" });
  inner.style.width = `${Math.min(100, share * 100)}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, inner);
}

// Findings name objects, and keys of the spec: what a view can show is a link.
function concern(name: string): HTMLElement | string {
  const [section, key] = name.split(".");
  if (section === "nodes" && servers.some(g => g.group === key)) return h("a", { class: "object", href: to("server", { group: key, object: "" }) }, name);
  if (section === "networks" && networks.includes(key)) return h("a", { class: "object", href: to("fabric", { network: key, object: "" }) }, name);
  const known = rackOfObject(name) >= 0 || objectNumber().has(name) || feeds.some(f => `feed/${f.name}` === name) || plan.cooling_zones.some((z: any) => `zone/${z.name}` === name);
  return known ? h("a", { class: "object", href: to("verdict", { object: name }) }, name) : name;
}

export function findingCard(f: (typeof findings)[number]): HTMLElement {
  const at = f.place ? `${f.place.file}:${f.place.line}:${f.place.column}` : specPath;
  const say = (word: string, r: any) => h("p", {}, h("b", {}, word + " "), r.message,
    r.label ? ` (${r.label})` : "", r.place ? h("span", { class: "quiet" }, ` ${r.place.file}:${r.place.line}`) : null);
  return h("details", { class: "finding " + f.severity, open: f.severity === "error" },
    h("summary", {}, h("span", { class: "severity" }, `${symbol[f.severity]} ${f.severity}`), " ", f.message,
      f.accepted ? h("span", { class: "quiet" }, " (accepted)") : null),
    h("p", {}, h("code", {}, at), f.path ? h("span", {}, " · key ", h("code", {}, f.path)) : null),
    f.label ? h("p", {}, f.label) : null,
    ...f.notes.map(n => say("note:", n)), ...f.helps.map(n => say("help:", n)),
    f.accepted ? h("p", {}, h("b", {}, "accepted: "), f.accepted) : null,
    f.objects.length ? h("p", {}, "Concerns ", ...f.objects.slice(0, 12).flatMap((o, i) => [i ? ", " : "",
      concern(o)]),
      f.objects.length > 12 ? ` and ${count(f.objects.length - 12)} more` : "") : null,
    h("p", { class: "quiet" }, h("code", {}, `clusterc explain ${f.rule}`)));
}

// Limits that are used alike: one line with the first object and the number of the others.
function tightest(): { first: any; more: number }[] {
  const out = new Map<string, { first: any; more: number }>();
  for (const m of margins) {
    const key = [m.object.split("/")[0], m.what.replace(/'[^']*'/, "").replace(/line \d/, "line"), m.load, m.limit].join("\n"), had = out.get(key);
    if (had) ++had.more;
    else if (out.size < 10) out.set(key, { first: m, more: 0 });
  }
  return [...out.values()];
}

export function verdictView(): HTMLElement {
  const v = plan.verdict, t = plan.totals;
  const fact = (n: string, what: string) => h("div", { class: "fact" }, h("b", {}, n), h("span", {}, what));
  const shown = [...findings].sort((a, b) => severityRank[a.severity] - severityRank[b.severity]);
  const facts = h("div", { class: "facts" },
    fact(count(t.gpus), "GPUs"), fact(count(t.nodes), "nodes"), fact(count(t.racks), "racks"),
    fact(watts(t.power_w), t.power_complete ? "highest power" : "highest power, not all known"), fact(watts(t.power_typical_w), "typical power"));
  const list = h("div", {}, ...shown.slice(0, 200).map(findingCard));
  return h("div", {},
    h("h2", {}, "Verdict"),
    h("p", { class: "verdict " + (v.buildable ? "yes" : "no") }, v.buildable ? "✔ Can be built" : "✖ Cannot be built",
      h("span", {}, ` ${plural(v.errors, "error")}, ${plural(v.warnings, "warning")}, ${plural(v.notes, "note")}`)),
    facts,
    plan.unplaced.length ? h("section", {}, h("h3", {}, "Without a place"), h("ul", {}, ...plan.unplaced.map((u: any) => h("li", {}, `${u.count} × ${u.kind}: ${u.why}`)))) : null,
    h("h3", {}, "Tightest margins"),
    h("p", { class: "quiet" }, "How much of each limit the plan uses; loads are those after the loss of the feed that is worst for them."),
    margins.length ? h("ol", { class: "margins" }, ...tightest().map(({ first: m, more }) => h("li", {},
      h("span", {}, h("a", { class: "object", href: to("verdict", { object: m.object }) }, m.object), more ? h("span", { class: "quiet" }, ` and ${count(more)} alike`) : null), h("span", {}, `${m.what}: ${m.load} of ${m.limit}`),
      h("b", { class: m.share > 1 ? "over" : "" }, percent(m.share)), bar(m.share)))) : h("p", {}, "The spec states no limits."),
    margins.length > 10 ? (() => {
      const d = h("details", { class: "as-table" }, h("summary", {}, `${margins.length === marginsInAll ? "All" : `The tightest ${count(margins.length)} of`} ${count(marginsInAll)} limits as a table`));
      d.addEventListener("toggle", () => d.childElementCount === 1 && d.append(table({
        caption: "Limits, the tightest first", rows: margins.length, link: o => to("verdict", { object: o }),
        columns: [{ name: "Object", text: i => margins[i].object, object: i => margins[i].object }, { name: "What", text: i => margins[i].what },
          { name: "Load", text: i => margins[i].load, number: true }, { name: "Limit", text: i => margins[i].limit, number: true },
          { name: "Used", text: i => percent(margins[i].share), key: i => margins[i].share, number: true }] })));
      return d;
    })() : null,
    h("h3", {}, "Findings"), shown.length ? list : h("p", {}, "None."),
    shown.length > 200 ? h("p", {}, `${count(shown.length - 200)} more: clusterc check prints all.`) : null,
    failures.length ? h("h3", {}, "Worst single failures") : null,
    failures.length ? h("ol", {}, ...failures.slice(0, 5).map(f => h("li", {},
      h("button", { class: "link", click: () => go({ view: "power", cut: f.example }) }, f.components.slice(0, 2).join(", ") + (f.components.length > 2 ? " …" : "")), ` ${summary(f)}`))) : null);
}
