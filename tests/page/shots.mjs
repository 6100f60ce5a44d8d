// Pictures of the page beside references that people have looked at. usage: shots.mjs NODE_MODULES PAGES REFERENCES OUT compare|update
// A sheet holds the views of one page in one theme and width, each a quarter as wide as on the screen. Sheets are compared by the means of squares of 16 pixels of
// the screen and more, so that fonts and their smoothing make no difference; a view that is empty, cut, covered or in other colours does. Sheets that differ lie in OUT.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [, , modules, folder, references, out, wish] = process.argv;
const { chromium } = createRequire(path.join(path.dirname(fs.realpathSync(modules)), "x.js"))("playwright-core");
const VIEWS = ["verdict", "hall", "power", "cooling", "fabric", "server", "tables", "expect"];
const PAGES = {
  lab: [...VIEWS, "hall?object=rack/r1"], superpod: [...VIEWS, "hall?object=rack/r01", "power?object=pdu/r01/a&cut=feed/A", "fabric?from=gpu001:2&to=gpu100:2"],
  nvl72: ["verdict", "hall", "hall?object=frame/nvl1", "power", "cooling", "fabric", "server"], "roce-16384": ["verdict", "hall", "cooling", "fabric", "tables"],
  culprit: ["acceptance", "acceptance?node=n3&metric=memory.triad&object=node/gpu/3", "hall?object=node/gpu/2", "fabric"], audited: ["audit", "hall?object=rack/r1", "fabric"],
  changed: ["changes", "hall?object=rack/r05", "hall?object=rack/m6", "power", "cooling", "fabric?network=compute"],
};
const HIGH = 1400, SCALE = 4, CELL = 4, FAR = 18, SHIFT = 14, MOST = 0.05;  // of the squares of a view this share may be this far from the reference, of 255

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const desk = await browser.newPage();
await desk.setContent("<body></body>");
fs.mkdirSync(out, { recursive: true });
if (wish === "update") fs.mkdirSync(references, { recursive: true });
const bad = [];
let views = 0;
for (const [name, places] of Object.entries(PAGES).filter(([name]) => !process.env.ONLY || name === process.env.ONLY)) for (const colorScheme of ["light", "dark"]) for (const width of [1280, 390]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" }), page = await context.newPage(), shots = [];
  await page.goto("file://" + path.resolve(folder, name + ".html"));
  await page.waitForSelector("main h2");
  for (const place of places) {
    await page.evaluate(h => { location.hash = h; }, place);
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
    const high = await page.evaluate(() => document.documentElement.scrollHeight);
    shots.push((await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(high, HIGH) } })).toString("base64"));
  }
  await context.close();
  views += places.length;
  const file = `${name}-${colorScheme}-${width}.webp`, known = path.join(references, file), reference = wish === "compare" && fs.existsSync(known) ? fs.readFileSync(known).toString("base64") : "";
  const made = await desk.evaluate(async ({ shots, reference, w, h, CELL, FAR, SHIFT }) => {
    const load = async (kind, text) => { const image = new Image(); image.src = `data:image/${kind};base64,${text}`; await image.decode(); return image; };
    const sheet = Object.assign(document.createElement("canvas"), { width: w * shots.length, height: h }), g = sheet.getContext("2d", { willReadFrequently: true });
    g.imageSmoothingQuality = "high"; g.fillStyle = "#808080"; g.fillRect(0, 0, sheet.width, h);
    for (const [i, shot] of shots.entries()) { const image = await load("png", shot); g.drawImage(image, i * w, 0, w, image.height * w / image.width); }
    const url = sheet.toDataURL("image/webp", 0.4), far = [];
    if (reference) {
      // The reference was written with loss: so is this sheet, or the fine stripes of a large hall differ by what the encoder leaves out.
      g.drawImage(await load("webp", url.slice(url.indexOf(",") + 1)), 0, 0);
      const image = await load("webp", reference), other = Object.assign(document.createElement("canvas"), { width: sheet.width, height: h }), o = other.getContext("2d", { willReadFrequently: true });
      if (image.width !== sheet.width || image.height !== h) return { url, far: shots.map(() => 1) };
      o.drawImage(image, 0, 0);
      for (let i = 0; i < shots.length; ++i) {
        const a = g.getImageData(i * w, 0, w, h).data, b = o.getImageData(i * w, 0, w, h).data;
        // Means of bands of CELL rows; a band is looked for up to SHIFT rows above and below, for another font breaks lines elsewhere.
        const across = Math.floor(w / CELL), bands = pixels => {
          const row = Array.from({ length: h }, (_, y) => { const out = new Float32Array(across * 3); for (let x = 0; x < across * CELL; ++x) for (let c = 0; c < 3; ++c) out[Math.floor(x / CELL) * 3 + c] += pixels[4 * (y * w + x) + c] / CELL; return out; });
          return row.slice(0, h - CELL + 1).map((_, y) => row[y].map((_, k) => (row[y][k] + row[y + 1][k] + row[y + 2][k] + row[y + 3][k]) / CELL));
        };
        const is = bands(a), was = bands(b), apart = (x, y) => { let n = 0; for (let k = 0; k < x.length; k += 3) if (Math.max(Math.abs(x[k] - y[k]), Math.abs(x[k + 1] - y[k + 1]), Math.abs(x[k + 2] - y[k + 2])) > FAR) ++n; return n; };
        let cells = 0, differ = 0;
        for (let y = 0; y < was.length; y += CELL) {
          cells += across;
          let least = apart(was[y], is[y]);
          for (let by = 1; by <= SHIFT && least > 0; ++by) for (const z of [y - by, y + by]) if (is[z]) least = Math.min(least, apart(was[y], is[z]));
          differ += least;
        }
        far.push(differ / cells);
      }
    }
    return { url, far };
  }, { shots, reference, w: Math.round(width / SCALE), h: HIGH / SCALE, CELL, FAR, SHIFT });
  const bytes = Buffer.from(made.url.slice(made.url.indexOf(",") + 1), "base64");
  if (wish === "update") fs.writeFileSync(known, bytes);
  else if (!reference) bad.push(`${file}: there is no reference`);
  else made.far.forEach((share, i) => { if (share > MOST) bad.push(`${file}: ${places[i]} differs in ${(share * 100).toFixed(1)} % of its squares`); });
  if (wish !== "update" && bad.some(b => b.startsWith(file))) fs.writeFileSync(path.join(out, file), bytes);
  if (process.env.SHOW) console.log(file, made.far.map(x => (x * 100).toFixed(1)).join(" "));
}
await browser.close();
if (wish === "update") console.log(`ok: ${views} views written to ${references}`);
else if (bad.length) { console.log(bad.join("\n") + `\nLook at ${out}; UPDATE_GOLDEN=1 makes these the references.`); process.exit(1); }
else console.log(`ok: ${views} views are as in their references`);
