// What `diff --page` holds: the program's list of changes, and the earlier plan as far as drawings need it. The views
// mark with "+" what is added, with "−" what is removed and with "~" what changes; a word stands beside each sign.
import { racks, rackObject, objectNumber, objectOf, rackNumber, pduNumber, diff, before } from "./data";

export type State = "added" | "removed" | "changed";
export interface Change { state: State; word: string; what: string; object: string; name: string; before: string; after: string; cable: boolean }
export interface OldRack { object: string; name: string; x_m: number; y_m: number; units: number; power_w: number; width_m?: number; depth_m?: number; devices: { kind: string; name: string; object: string; unit: number; units: number }[] }
export const SIGN: Record<State, string> = { added: "+", removed: "−", changed: "~" };
export { diff };
export const oldRacks: OldRack[] = before?.racks ?? [];

// Key of the list in the document, state, and what is done.
const LISTS: [string, State, string][] = [["added", "added", "added"], ["removed", "removed", "removed"], ["refitted", "changed", "other model or parts"], ["moved", "changed", "moved"],
  ["repowered", "changed", "other power feed"], ["cables_added", "added", "cable to lay"], ["cables_removed", "removed", "cable to remove"], ["cables_moved", "changed", "cable to move"],
  ["cables_replaced", "changed", "cable to replace"], ["renumbered", "changed", "other address"]];

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
// A frame of an assembly is called a rack in the list.
const frames = once(() => new Set(oldRacks.filter(r => r.object.startsWith("frame/")).map(r => r.name)));
export const proper = (name: string) => (name.startsWith("rack/") && !rackNumber().has(name) && (rackNumber().has("frame/" + name.slice(5)) || frames().has(name.slice(5))) ? "frame/" + name.slice(5) : name);
export const oldRackOf = once(() => new Map(oldRacks.flatMap((r, i) => [[r.object, i] as [string, number], ...r.devices.filter(d => d.object).map(d => [d.object, i] as [string, number])])));
const gone = once(() => new Set<string>((diff?.removed ?? []).flatMap((l: any) => l.objects.map((o: any) => proper(o.object)))));

// Of a cable or port "leaf/x/1/17" the device that has it; nodes that are gone count.
export function deviceOf(name: string): string {
  for (let at = name.replace(/^(cable|port)\//, ""); at; at = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "")
    if (objectNumber().has(at) || gone().has(at) || pduNumber().has(at)) return at;
  return "";
}
export const changes = once((): Change[] => {
  const out: Change[] = [];
  for (const [key, state, word] of LISTS) for (const list of diff?.[key] ?? []) for (const o of list.objects) {
    const cable = key.startsWith("cables_"), name = proper(o.object);
    out.push({ state, word, what: list.what, name, object: cable ? deviceOf(name) : name, before: o.before, after: o.after, cable });
  }
  return out;
});
// Changes that the document counts but does not list.
export const unlisted = once(() => LISTS.reduce((sum, [key]) => sum + (diff?.[key] ?? []).reduce((n: number, l: any) => n + l.count - l.objects.length, 0), 0));

// All changes, listed or not.
export const totals = once(() => {
  const n: Record<State, number> = { added: 0, removed: 0, changed: 0 };
  for (const [key, state] of LISTS) for (const list of diff?.[key] ?? []) n[state] += list.count;
  return n;
});

// Of each object its changes; those of its cables count only where nothing else changes.
export const changesOf = once(() => {
  const out = new Map<string, Change[]>();
  for (const c of changes()) {
    const had = out.get(c.object);
    if (had) had.push(c); else out.set(c.object, [c]);
  }
  return out;
});
export function stateOf(object: string): State | "" {
  const mine = changesOf().get(object)?.filter(c => !c.cable);
  return !mine?.length ? "" : mine.find(c => c.state !== "changed")?.state ?? "changed";
}
export const signed = (object: string) => { const state = stateOf(object); return state ? SIGN[state] + " " : ""; };
export const why = (object: string) => (changesOf().get(object) ?? []).filter(c => !c.cable).map(c => c.word).join(", ");

// Racks: added, removed, moved or of another model; else how many of their devices change.
export interface RackChange { state: State; text: string; devices: number }
export const rackChanges = once(() => {
  const out = new Map<string, RackChange>();
  const old = new Map(oldRacks.map(r => [r.object, r]));
  const note = (object: string, devices: string[]) => {
    const own = stateOf(object), n = new Set(devices.filter(d => stateOf(d))).size;
    if (own || n) out.set(object, { state: own || "changed", devices: n, text: [own ? why(object) : "", n && own !== "added" && own !== "removed" ? `${n} ${n === 1 ? "device changes" : "devices change"}` : ""].filter(t => t).join("; ") });
  };
  racks.forEach((_, r) => { const object = rackObject(r); note(object, [...racks[r].devices.map(objectOf), ...(old.get(object)?.devices ?? []).map(d => d.object)]); });
  const now = rackNumber();
  for (const r of oldRacks) if (!now.has(r.object)) note(r.object, []);
  return out;
});
// Cables that are laid or removed, as pairs of devices; of one that moves both ends at the switch.
export interface Pair { state: State; a: string; b: string }
export const pairs = once((): Pair[] => changes().filter(c => c.cable).flatMap(c => {
  const end = (text: string) => deviceOf(text.split(", ")[0]);
  if (c.word === "cable to move") return [{ state: "removed" as State, a: c.object, b: end(c.before) }, { state: "added" as State, a: c.object, b: end(c.after) }];
  return [{ state: c.state, a: c.object, b: end(c.state === "removed" ? c.before : c.after) }];
}).filter(p => p.a && p.b));

const loads = (list: any[] | undefined, key: string) => new Map<string, number>((list ?? []).map(x => [x.object, x[key]]));
export const feedsBefore = once(() => loads(before?.feeds, "worst_va"));
export const pdusBefore = once(() => loads(before?.pdus, "worst_va"));
export const zonesBefore = once(() => loads(before?.zones, "heat_w"));
