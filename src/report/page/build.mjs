// src/ -> built/page.js and built/page.css, or into the folder that is named. The same sources give the same bytes.
import { build } from "esbuild";

const out = process.argv[2] ?? "built";
await build({
  entryPoints: { page: "src/main.ts" },
  bundle: true, minify: true, charset: "ascii", target: "es2021", format: "iife", legalComments: "inline",
  outdir: out, logLevel: "warning",
});
