// What is shown stands in the address, behind "#": a link to it shows the same view again.
export type Place = Record<string, string>;

export function here(): Place {
  const [view, rest] = location.hash.slice(1).split("?");
  const out: Place = Object.fromEntries(new URLSearchParams(rest ?? ""));
  out.view = view || "verdict";
  return out;
}
export function address(place: Place): string {
  const { view, ...rest } = place;
  const query = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== "")).toString();
  return `#${view}${query ? "?" + query : ""}`;
}
export const go = (change: Place) => { location.hash = address({ ...here(), ...change }); };
// The address of a change to what is shown. The object stays selected from view to view; what belongs to one view does not.
export function to(view: string, change: Place = {}): string {
  const now = here();
  return address({ ...(now.view === view ? now : { object: now.object ?? "", cut: now.cut ?? "" }), view, ...change });
}
