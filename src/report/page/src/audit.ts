// What `audit` found: the program's findings, with what they name.
import { audit, severityRank, type Finding } from "./data";
import { h } from "./dom";
import { plural } from "./format";
import { marks } from "./marks";
import { to } from "./state";
import { table } from "./table";
import { findingCard } from "./verdict";

export function auditView(): HTMLElement {
  const all: Finding[] = [...audit.findings].sort((a: Finding, b: Finding) => severityRank[a.severity] - severityRank[b.severity]), named = [...marks()];
  const wrong = all.filter(f => f.severity !== "note" && !f.accepted).length;
  return h("div", {}, h("h2", {}, "Audit"),
    h("p", { class: "verdict " + (wrong ? "no" : "yes") }, wrong ? `✖ ${plural(wrong, "finding")}` : "✔ Nothing differs", h("span", {}, `${all.length - wrong} further: notes, and findings that the spec accepts`)),
    ...all.slice(0, 200).map(findingCard), all.length > 200 ? h("p", { class: "quiet" }, "The table has the others.") : null,
    all.length ? table({ caption: "Findings of the audit", rows: all.length, search: true, columns: [{ name: "Severity", text: i => all[i].severity }, { name: "Rule", text: i => all[i].rule }, { name: "Finding", text: i => all[i].message, wide: true },
      { name: "Place", text: i => (all[i].place ? `${all[i].place!.file}:${all[i].place!.line}` : "") }, { name: "Concerns", text: i => all[i].objects.join(", "), wide: true }] }) : null,
    named.length ? table({ caption: "Objects that findings name", rows: named.length, link: o => to("hall", { object: o }), columns: [{ name: "Object", text: i => named[i][0], object: i => named[i][0] }, { name: "First finding", text: i => named[i][1], wide: true }] }) : null);
}
