// The engine of pages against the program: every experiment of every example is run by both, and their rows are compared, all bits of them.
// What differs may differ by the functions of libm only, which two libraries round differently. usage: engine.mjs ENGINE   (KAIROS: the program)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder] = process.argv.slice(2), top = new URL("../../", import.meta.url).pathname;
const engine = await createRequire(import.meta.url)(`${folder}/engine.js`)({ wasmBinary: readFileSync(`${folder}/engine.wasm`) });
const copy = (from, to) => {
  engine.FS.mkdirTree(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copy(join(from, entry.name), `${to}/${entry.name}`);
    else if (/\.(kai|csv|cir|txt)$/.test(entry.name)) engine.FS.writeFile(`${to}/${entry.name}`, readFileSync(join(from, entry.name)));
  }
};
copy(`${top}lib`, "/lib");
copy(`${top}examples`, "/models");

function ask(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question)), at = engine._malloc(bytes.length + 1);
  engine.HEAPU8.set(bytes, at);
  const status = engine._engine_answer(at, bytes.length);
  engine._free(at);
  assert.equal(status, 0);
  return JSON.parse(new TextDecoder().decode(engine.HEAPU8.subarray(engine._engine_text(), engine._engine_text() + engine._engine_length())));
}

const server = spawn(process.env.KAIROS, ["studio", `${top}examples`, "--no-browser"], { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await once(server.stdout, "data");
const native = async (question) => (await fetch(String(line).trim() + "ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) })).json();

const LIBM = /\b(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|log|log10|hypot|pi)\b|\^|random|normal|uniform/;
const doubles = (text) => { const b = Buffer.from(text, "base64"); return new Float64Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length)); };
// A diagram has what that of the program has, in another place: the same words, as many arrows, nothing outside of the sheet.
const words = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map((m) => m[1]).sort();
let diagrams = 0;
async function diagram(question, label) {
  const theirs = await native(question), mine = ask(question);
  if (!theirs.svg) { assert.equal(mine.error, theirs.error, label); return; }
  diagrams++;
  assert.ok(mine.svg, `${label}: ${mine.error}`);
  assert.deepEqual(words(mine.svg), words(theirs.svg), label);
  assert.equal([...mine.svg.matchAll(/<path/g)].length, [...theirs.svg.matchAll(/<path/g)].length, label);
  const [, width, height] = mine.svg.match(/viewBox="0 0 ([\d.]+) ([\d.]+)"/).map(Number), seen = new Map();
  for (const [, x, y, text] of mine.svg.matchAll(/<text[^>]* x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)/g)) {
    assert.ok(x >= 0 && x <= width && y >= 0 && y <= height, `${label}: ${text} is not on the sheet`);
    assert.ok(!seen.has(`${x} ${y}`), `${label}: ${text} stands on ${seen.get(`${x} ${y}`)}`);
    seen.set(`${x} ${y}`, text);
  }
}
const same = [], close = [], other = [], refusals = [];
let seconds = 0, slower = [];
for (const name of readdirSync(`${top}examples`).sort()) {
  const path = `${name}/model.kai`;
  if (!existsSync(`${top}examples/${path}`)) continue;
  const text = readFileSync(`${top}examples/${path}`, "utf8");
  for (const kind of ["modes", "blocks", "bonds", "schematic"]) await diagram({ do: "diagram", path, text, kind }, `${name}, ${kind}`);
  for (const [, experiment] of text.matchAll(/^experiment\s+(\w+)/gm)) {
    const question = { do: "run", path, text, experiment }, theirs = await native(question), mine = ask(question), label = `${name}/${experiment}`;
    assert.deepEqual(mine.diagnostics.map((d) => d.message), theirs.diagnostics.map((d) => d.message), label);
    const a = mine.runs?.[0], b = theirs.runs?.[0];
    const refused = /does not run in a browser/.test(JSON.stringify([mine.failure, a?.failure, mine.error]));
    if (refused || !a || !b) { (refused ? refusals : a?.status === b?.status ? same : other).push(label); continue; }
    seconds += a.seconds;
    if (b.seconds > 1e-3) slower.push(a.seconds / b.seconds);
    if (a.status === b.status && a.t === b.t && a.p === b.p && a.m === b.m && a.values.every((v, k) => v === b.values[k])) { same.push(label); continue; }
    // Ends agree to what the run promises.
    const far = Math.max(0, ...a.values.map((v, k) => { const x = doubles(v).at(-1), y = doubles(b.values[k]).at(-1); return x === y || (x !== x && y !== y) ? 0 : Math.abs(x - y) / Math.max(Math.abs(x), Math.abs(y), 1e-6); }));
    const expected = (run) => run.expects.map((e) => e.passed).join();
    (a.status === b.status && expected(a) === expected(b) && far < 1e-5 ? close : other).push({ label, far, mine: a.status, theirs: b.status, libm: LIBM.test(text), why: a.failure?.message ?? "" });
  }
}
server.kill();
slower.sort((x, y) => x - y);
console.log(`${same.length} experiments of the examples have the same bits in every row, ${close.length} differ in last digits (functions of libm, or factors of a matrix), ${refusals.length} need a part that browsers lack, ${other.length} differ otherwise`);
console.log(`the engine takes ${slower[slower.length >> 1].toFixed(1)} times as long as the program (median of ${slower.length} runs above 1 ms)`);
console.log(`${diagrams} diagrams have the same words and arrows as those of the program`);
for (const one of other) console.log("  ", JSON.stringify(one));
if (process.env.VERBOSE) for (const one of close) console.log("  ", JSON.stringify(one));
process.exit(other.length ? 1 : 0);
