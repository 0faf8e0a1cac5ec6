// Bundles src/ into dist/: one script, one style sheet, one page, the licences of what is inside, and a digest of the sources.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

mkdirSync("dist", { recursive: true });
const result = await build({
  entryPoints: ["src/main.ts"], outfile: "dist/studio.js", bundle: true, minify: true, format: "iife", target: "es2020",
  metafile: true, legalComments: "none", charset: "utf8",
});
copyFileSync("src/index.html", "dist/index.html");
copyFileSync("src/studio.css", "dist/studio.css");

const packages = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
  const match = file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (match) packages.add(match[1]);
}
let licences = "The page of kairos studio contains these packages.\n";
for (const name of [...packages].sort()) {
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENCE"].map((f) => `node_modules/${name}/${f}`).find(existsSync);
  licences += `\n---- ${name} ${about.version} (${about.license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}\n`;
}
writeFileSync("dist/licences.txt", licences);

// The same as tests/cli/page.sh computes: a page that is older than its sources is noticed.
const digest = createHash("sha256");
for (const file of [...readdirSync("src").map((f) => `src/${f}`), "package-lock.json", "build.mjs"].sort()) digest.update(readFileSync(file));
writeFileSync("dist/sources.sha256", digest.digest("hex") + "\n");
