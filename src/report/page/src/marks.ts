// What a run of `validate` or `audit` says of objects: the views mark these.
import { acceptance, audit, links, linksOf, ports, hostNumber, objects, rackOfObject, objectNumber, deviceAt } from "./data";
import { expand } from "./format";

export const objectOfHost = (host: string): string => { const n = hostNumber().get(host); return n === undefined ? "" : objects[n]; };
export const known = (name: string) => objectNumber().has(name) || rackOfObject(name) >= 0;
// "unit 17" of a device that stands in a rack.
export function unitOf(object: string): string {
  const d = deviceAt().get(object)?.[1];
  return !d ? "" : d.unit < 1 ? "tray" : `unit ${d.unit}${d.units > 1 ? `–${d.unit + d.units - 1}` : ""}`;
}
export const bad = (verdict: string) => verdict === "fail" || verdict === "degraded" || verdict === "error";
export const culprits: any[] = (acceptance?.searches ?? []).flatMap((s: any) => (s.culprits ?? []).map((c: any) => ({ ...c, group: s.group })));
// "port/leaf/x/1/17 is owned by leaf/x/1", as names of ports and cables begin with their device.
export function ownerOf(name: string): string {
  for (let at = name.replace(/^(port|cable)\//, ""); at; at = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "") {
    if (known(at)) return at;
    const host = objectOfHost(at);
    if (host) return host;
  }
  return "";
}

let made: Map<string, string> | undefined;
export function marks(): Map<string, string> {
  if (made) return made;
  made = new Map();
  const add = (object: string, why: string) => { if (object && !made!.has(object)) made!.set(object, why); };
  for (const c of culprits) for (const name of [c.object, c.node, c.switch_port, ...String(c.cable).split(" ")]) if (name) add(ownerOf(name), `culprit: ${c.what}`);
  for (const v of acceptance?.verdicts ?? []) if (bad(v.verdict)) { const nodes = expand(v.node); if (nodes.length === 1) add(objectOfHost(v.node), `${v.verdict}: ${v.metric}`); }
  for (const f of audit?.findings ?? []) if (f.severity !== "note" && !f.accepted) for (const o of f.objects) for (const name of expand(o)) add(ownerOf(name), f.message);
  for (const pair of linksMarked()) for (const n of pair.split(" ")) add(objects[Number(n)], "end of a cable that is named");
  return made;
}
// The links whose cables are named, as pairs of numbers of objects: "4 17".
let joined: Set<string> | undefined;
export function linksMarked(): Set<string> {
  if (joined) return joined;
  joined = new Set();
  const named = [...culprits.flatMap(c => [c.object, c.switch_port, ...String(c.cable).split(" ")]), ...(audit?.findings ?? []).filter((f: any) => f.severity !== "note" && !f.accepted).flatMap((f: any) => f.objects)].filter(n => /^(cable|port)\//.test(n));
  for (const name of named.flatMap(expand)) {
    const bare = name.replace(/^(port|cable)\//, ""), owner = ownerOf(name), number = objectNumber().get(owner), port = bare.slice(owner.length + 1);
    for (const [n, i] of linksOf(owner)) {
      const l = links(n), near = l.near[i] === number;
      if (ports[near ? l.nearPort[i] : l.farPort[i]] === port) joined.add(`${l.near[i]} ${l.far[i]}`);
    }
  }
  return joined;
}
let counted: Map<number, number> | undefined;
export function racksMarked(): Map<number, number> {
  if (counted) return counted;
  counted = new Map();
  for (const object of marks().keys()) { const r = rackOfObject(object); if (r >= 0) counted.set(r, (counted.get(r) ?? 0) + 1); }
  return counted;
}
export const markWord = acceptance ? "what did not pass, and culprits" : "what the audit names";
