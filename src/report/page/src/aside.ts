// The selected object: its figures, its findings, its links, and the views that show it.
import { acceptance, audit, failure, failures, feeds, findings, linksOf, objectNumber, pduNumber, pdus, plan, rackObject, rackOfObject, racks, amps, hosts, servers } from "./data";
import { resultsOf } from "./acceptance";
import { h } from "./dom";
import { air, count, digits, plural, va, watts } from "./format";
import { here, to } from "./state";
import { marks } from "./marks";
import { changesAt } from "./changesView";
import { diff, oldRackOf, oldRacks, stateOf } from "./changes";
import { addressesOf } from "./tables";
import { linksFrom } from "./hall";

function facts(object: string): [string, string | HTMLElement][] {
  const out: [string, string | HTMLElement][] = [], link = (o: string) => h("a", { class: "object", href: to(here().view, { object: o }) }, o);
  const rack = rackOfObject(object), [kind, name] = [object.slice(0, object.indexOf("/")), object.slice(object.indexOf("/") + 1)];
  const device = rack >= 0 ? racks[rack].devices.find(d => d.name && (object.endsWith("/" + d.name) || d.name === object || hosts[objectNumber().get(object) ?? -1] === d.name)) : undefined;
  if (kind === "rack" || kind === "frame") {
    const r = racks[rack];
    if (r) out.push(["Power", watts(r.power_w)], ["Weight", `${digits(r.weight_kg)} kg`], ["Air", air(r.airflow_m3_s)], ["Into liquid", watts(r.liquid_heat_w)], ["Devices", String(r.devices.length)], ["Zone", [r.cooling, r.liquid].filter(z => z).join(", ") || "none"]);
  } else if (kind === "pdu") {
    const i = pduNumber().get(object);
    if (i !== undefined) {
      const p = pdus[i], n = (amps[i].length - 1) / 2;
      out.push(["Feed", link("feed/" + p.feed)], ["All feeds alive", va(p.normal_va)], ["Worst", va(p.worst_va)], ["Continuous", va(p.continuous_va)], ["Breaker", va(p.breaker_va)]);
      for (let k = 0; k < n; ++k) out.push([n > 1 ? `Line ${k + 1}` : "Current", `${amps[i][1 + k]} A, worst ${amps[i][1 + n + k]} A, limit ${amps[i][0]} A`]);
    }
  } else if (kind === "feed") {
    const f = feeds.find(x => x.name === name);
    if (f) out.push(["All feeds alive", va(f.normal_at_breaker_va)], ["Worst", `${va(f.worst_at_breaker_va)}${f.after_losing ? ` without feed ${f.after_losing}` : ""}`], ["Breaker", va(f.breaker_va)], ["UPS", f.ups ? `${f.ups.modules} modules, ${f.ups.spare} spare` : "none"], ["PDUs", count(pdus.filter(p => p.feed === name).length)]);
  } else if (kind === "zone") {
    const z = plan.cooling_zones.find((x: any) => x.name === name);
    if (z) out.push(["Heat", watts(z.heat_w)], ["Removes", watts(z.removes_w)], ["Units", String(z.units)], ["Supply", z.supply_c === null ? "unknown" : `${z.supply_c} °C`]);
  }
  if (rack >= 0 && kind !== "rack" && kind !== "frame") out.push(["Rack", link(rackObject(rack))]);
  if (device) out.push(["Unit", device.unit < 1 ? "as its maker states" : `${device.unit}${device.units > 1 ? `–${device.unit + device.units - 1}` : ""}`], ["Cords to PDUs", device.cords ? [...device.cords].join(" ") : "none"]);
  const n = objectNumber().get(object);
  if (kind === "node" && n !== undefined) {
    const g = servers.find(x => n >= x.first && n < x.first + x.count), model = plan.node_groups.find((x: any) => x.name === g?.group);
    out.push(["Host", hosts[n]]);
    if (model) out.push(["Server", model.server], ["GPUs", model.gpus_each ? `${model.gpus_each} × ${model.gpu}` : "none"], ["Highest power", watts(model.power_w)]);
    for (const [network, address] of addressesOf(object)) out.push([`Address, ${network}`, address]);
  }
  return out;
}

export function aside(): HTMLElement | null {
  const place = here(), object = place.object;
  if (!object) return null;
  const about = findings.filter(f => f.objects.includes(object)), kind = object.split("/")[0], rack = rackOfObject(object);
  const views: [string, string][] = [];
  const former = oldRackOf().get(object), gone = stateOf(object) === "removed" && former !== undefined ? oldRacks[former] : undefined;
  if (rack >= 0 || gone) views.push(["hall", "Hall"]);
  if (["pdu", "feed", "panel", "generator", "transfer"].includes(kind) || rack >= 0) views.push(["power", "Power"]);
  if (kind === "zone") views.push(["cooling", "Cooling"]);
  const links = kind === "rack" || kind === "frame" ? [] : linksOf(object, 200), known = facts(object);
  if (gone && gone.object !== object) known.push(["Stood in", h("a", { class: "object", href: to(place.view, { object: gone.object }) }, gone.object)]);
  if (links.length) views.push(["fabric", "Fabric"]);
  if (kind === "node") views.push(["server", "Server"]);
  const marked = marks().get(object);
  if (acceptance && (kind === "node" || marked)) views.push(["acceptance", "Acceptance"]);
  if (audit && marked) views.push(["audit", "Audit"]);
  if (diff) views.unshift(["changes", "Changes"]);
  const canFail = failure(object), words = object.split("/");
  const loop = kind === "zone" ? failures.find(f => f.components.some(c => c.startsWith(`loop/${words[1]}`) || c.startsWith(`cooling/${words[1]}`) || c.startsWith(`cdu/${words[1]}`))) : undefined;
  return h("aside", { "aria-label": "Selected object" },
    h("div", { class: "row" }, h("h2", {}, object), h("a", { href: to(place.view, { object: "" }), "aria-label": "Close" }, "✕")),
    h("p", { class: "row" }, ...views.filter(([v]) => v !== place.view).map(([v, word]) => h("a", { class: "button", href: to(v, { object }) }, `Show in ${word}`)),
      canFail || loop ? h("a", { class: "button", href: to(place.view === "verdict" ? "power" : place.view, { cut: canFail ? object : loop!.example, object }) }, canFail ? "✂ Cut" : `✂ Cut ${loop!.example}`) : null),
    known.length ? h("dl", {}, ...known.flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])) : h("p", { class: "quiet" }, "The plan has no further figures of it."),
    marked ? h("p", {}, h("b", { class: "over" }, "▲ "), marked) : null, resultsOf(object), changesAt(object),
    about.length ? h("div", {}, h("h3", {}, plural(about.length, "finding")), ...about.map(f => h("p", {}, h("span", { class: "severity " + f.severity }, f.severity), " ", f.message, f.place ? h("span", { class: "quiet" }, ` ${f.place.file}:${f.place.line}`) : null))) : null,
    links.length ? linksFrom(object, links, place.view) : null);
}
