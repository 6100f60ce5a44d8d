// A table of any length: sorted by a click on a heading, filtered by words, copied as CSV. Long ones hold only the rows
// in sight.
import { copy, fresh, h, labelled } from "./dom";
import { count, plural } from "./format";

export interface Column {
  name: string;
  text: (row: number) => string;
  key?: (row: number) => number;     // sorts by it in place of the text
  object?: (row: number) => string;  // what a click on the cell selects
  number?: boolean;
  wide?: boolean;
}
export interface TableOptions {
  caption: string; columns: Column[]; rows: number; filter?: string; search?: boolean;
  rowFilter?: (words: string[]) => (row: number) => boolean;  // faster than the texts of all cells
  link?: (object: string) => string;
  filtered?: (words: string) => void;
}
const ROW = 30, WHOLE = 300;

function csv(options: TableOptions, rows: number[]): string {
  const quote = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [options.columns.map(c => quote(c.name)).join(",")];
  for (const row of rows) lines.push(options.columns.map(c => quote(c.text(row))).join(","));
  return lines.join("\n") + "\n";
}

export function table(options: TableOptions): HTMLElement {
  const { columns } = options;
  let rows: number[] = [], sorted = -1, down = false, words = options.filter ?? "";
  const all = Array.from({ length: options.rows }, (_, i) => i);
  const body = h("tbody"), status = h("span", { class: "quiet", role: "status" });
  const headings = columns.map((c, i) => {
    const button = h("button", { class: "heading", click: () => { down = sorted === i && !down; sorted = i; update(); } }, c.name);
    return h("th", { scope: "col", class: c.number ? "number" : "" }, button);
  });
  const whole = options.rows <= WHOLE;
  const name = fresh("table");
  const element = h("table", {}, h("caption", { id: name }, options.caption), h("thead", {}, h("tr", {}, ...headings)), body);
  const frame = h("div", { class: "scroll" + (options.rows > 40 ? " long" : ""), tabindex: 0, role: "region", "aria-labelledby": name }, element);

  const line = (row: number) => h("tr", {}, ...columns.map(c => {
    const text = c.text(row), object = c.object?.(row);
    return h("td", { class: (c.number ? "number" : "") + (c.wide ? " wide" : "") },
      object && options.link ? h("a", { href: options.link(object) }, text) : text);
  }));
  const draw = () => {
    if (whole) { body.replaceChildren(...rows.map(line)); return; }
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW) - 10), last = Math.min(rows.length, first + 60);
    const space = (n: number) => {
      const cell = h("td", { colspan: columns.length });
      cell.style.height = `${n * ROW}px`;
      return h("tr", { class: "space", "aria-hidden": "true" }, cell);
    };
    body.replaceChildren(space(first), ...rows.slice(first, last).map(line), space(rows.length - last));
  };
  const update = () => {
    const wanted = words.toLowerCase().split(/\s+/).filter(w => w);
    const test = !wanted.length ? () => true : options.rowFilter ? options.rowFilter(wanted) : (row: number) => {
      const text = columns.map(c => c.text(row)).join(" ").toLowerCase();
      return wanted.every(w => text.includes(w));
    };
    rows = all.filter(test);
    if (sorted >= 0) {
      const c = columns[sorted], sign = down ? -1 : 1;
      if (c.key) rows.sort((a, b) => sign * (c.key!(a) - c.key!(b)));
      else {
        const texts = new Map(rows.map(r => [r, c.text(r)]));
        rows.sort((a, b) => sign * texts.get(a)!.localeCompare(texts.get(b)!, "en", { numeric: true }));
      }
    }
    headings.forEach((th, i) => i === sorted ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
    status.textContent = rows.length === options.rows ? plural(rows.length, "row") : `${count(rows.length)} of ${count(options.rows)} rows`;
    frame.scrollTop = 0;
    draw();
  };
  if (!whole) frame.addEventListener("scroll", () => requestAnimationFrame(draw));

  const input = h("input", { type: "search", value: words, autocomplete: "off" });
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => { words = input.value; update(); options.filtered?.(words); }, 120);
  });
  const button = h("button", { click: async () => {
    status.textContent = (await copy(csv(options, rows))) ? `${count(rows.length)} rows copied` : "the browser did not allow to copy";
  } }, "Copy as CSV");
  update();
  return h("div", { class: "table" },
    h("div", { class: "tools" }, options.rows > 8 || options.search ? labelled("Filter", input) : null, button, status), frame);
}

// Under a picture: the same as text, built when somebody opens it.
export function below(summary: string, make: () => HTMLElement): HTMLElement {
  const details = h("details", { class: "as-table" }, h("summary", {}, summary));
  details.addEventListener("toggle", () => { if (details.open && details.childElementCount === 1) details.append(make()); });
  return details;
}
