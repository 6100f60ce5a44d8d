// Elements without innerHTML: what comes from a spec is always text.
type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

function fill<E extends Element>(e: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== undefined && value !== false) e.setAttribute(name, String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      e.append(child instanceof Node ? child : String(child));
  return e;
}

export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]) {
  return fill(document.createElement(name), attributes, children);
}
export function s<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

let serial = 0;
export const fresh = (stem: string) => `${stem}-${++serial}`;

// A label and its control.
export function labelled(text: string, control: HTMLElement): HTMLElement {
  control.id ||= fresh("control");
  return h("span", { class: "labelled" }, h("label", { for: control.id }, text), control);
}

export function choice(text: string, options: [string, string][], now: string, take: (value: string) => void) {
  const select = h("select", { change: () => take(select.value) });
  for (const [value, word] of options) select.append(h("option", { value, selected: value === now }, word));
  return labelled(text, select);
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { "aria-label": "text to copy" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
