// The playground in a real browser, from files alone. usage: playground.mjs PLAYGROUND WORK   (KAIROS, CHROMIUM: the programs)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { once } from "node:events";
import { gzipSync } from "node:zlib";

const puppeteer = createRequire(new URL("../../studio/package.json", import.meta.url))("puppeteer-core");
const [folder, work] = process.argv.slice(2);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let count = 0;
function passed(what) { count++; console.log(`ok  ${what}`); }

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files=false"] });
const troubles = [], requests = [];
const open = async (address) => {
  const page = await browser.newPage();
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (m) => { if (m.type() === "error" && !/ERR_FILE_NOT_FOUND/.test(m.text())) troubles.push(m.text()); });
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) requests.push(r.url()); });
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(address);
  return page;
};
const until = async (page, what, test, ...args) => {
  try { await page.waitForFunction(test, { timeout: 20000, polling: 30 }, ...args); } catch { await page.screenshot({ path: `${work}/failed.png` }); throw new Error(`${what}: ${await page.$eval("#status", (e) => e.textContent)}`); }
};
const studio = (page, code, ...args) => page.evaluate(new Function("...args", `const { editor, plots, measured } = window.kairosStudio; ${code}`), ...args);

// ---- a model of the gallery opens, an edit draws it anew

const begun = performance.now();
const page = await open(`file://${folder}/play.html`);
await until(page, "the ball runs", () => window.kairosStudio?.plots.result?.runs[0]?.status === "end");
console.log(`    page opened and run in ${(performance.now() - begun).toFixed(0)} ms; play.html is ${(gzipSync(readFileSync(`${folder}/play.html`)).length / 1000).toFixed(0)} kB compressed, ${(statSync(`${folder}/play.html`).size / 1000).toFixed(0)} kB as it is`);
passed("a page without a server opens a model and runs it");

const BALL = "model Ball {\n  param g [m/s^2] = 9.81, e = 0.8\n  state y [m] = 1, v [m/s] = 0\n  event hit = down(y)\n  y' = v; v' = -g\n  when hit { v := -e*v }\n}\nexperiment bounce of Ball { stop = 2[s]; plot y; plot v }\n";
await page.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL);
await until(page, "the text", () => window.kairosStudio.plots.result.experiment === "bounce");
const times = [];
for (let k = 0; k < 20; k++) {
  const g = (9.82 + k / 100).toFixed(2);
  await page.evaluate((t) => { window.kairosStudio.measured.shown = 0; window.kairosStudio.editor.text = t; }, BALL.replace("9.81", g));
  await until(page, "the curve follows", (value) => { const { plots, measured } = window.kairosStudio; return measured.shown && plots.instants.length && Math.abs(plots.instants[0].t - Math.sqrt(2 / value)) < 1e-12; }, Number(g));
  times.push(await studio(page, "return measured.shown"));
}
times.sort((a, b) => a - b);
console.log(`    edit to redrawn plot: ${times[10].toFixed(1)} ms (median of 20), ${times[19].toFixed(1)} ms at most`);
passed("an edit draws the curve anew");

// ---- the numbers are those of the program, to the last bit

await page.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL);
await until(page, "the ball", () => Math.abs(window.kairosStudio.plots.instants[0]?.t - Math.sqrt(2 / 9.81)) < 1e-12 && window.kairosStudio.plots.result.experiment === "bounce");
mkdirSync(`${work}/models`, { recursive: true });
writeFileSync(`${work}/models/ball.kai`, BALL);
const server = spawn(process.env.KAIROS, ["studio", `${work}/models`, "--no-browser"], { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await once(server.stdout, "data");
const address = String(line).trim();
const native = await (await fetch(address + "ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: "run", path: "ball.kai", text: BALL }) })).json();
const mine = await studio(page, "const run = plots.result.runs[0]; return { t: [...run.t], values: run.values.map((v) => [...v].map((x) => x === x ? x : null)) }");
const doubles = (text) => { const b = Buffer.from(text, "base64"); return [...new Float64Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length))].map((x) => (x === x ? x : null)); };
assert.deepEqual(mine.t, doubles(native.runs[0].t));
native.runs[0].values.forEach((v, k) => assert.deepEqual(mine.values[k], doubles(v)));
passed(`its ${mine.t.length} rows are those of the program, to the last bit`);

// ---- messages, an instant, and what a browser cannot do

await page.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL.replace("-g", "-gg"));
await until(page, "the message", () => document.querySelector(".cm-lintRange-error")?.textContent === "gg");
await page.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL);
await until(page, "mended", () => document.querySelector(".cm-lintRange-error") === null && /^t = 2/.test(document.getElementById("status").textContent));
await studio(page, "plots.select(plots.instants[0])");
await until(page, "three tags", () => document.querySelectorAll("table.tags thead th").length === 4);
await page.click("#tab-diagram");
await until(page, "its blocks", () => [...document.querySelectorAll(".diagram svg text")].some((t) => /^1\/s|y/.test(t.textContent.trim())));
await page.click("#tab-prove");
await until(page, "no proofs here", () => /does not run in a browser/.test(document.getElementById("panel").textContent));
passed("messages, instants and diagrams as ever; a proof is refused with a sentence");

// ---- a run without an end is cancelled, and the page goes on

await page.evaluate(() => { window.kairosStudio.editor.text = "model Forever {\n  state x = 0\n  event tick = clock(1[us])\n  x' = 1\n  when tick { x := x - 1 }\n}\nexperiment run of Forever { stop = inf }\n"; });
await until(page, "running", () => !document.getElementById("stop").hidden && /running … t = /.test(document.getElementById("status").textContent));
await page.click("#stop");
await until(page, "stopped", () => /stopped/.test(document.getElementById("status").textContent) && document.getElementById("stop").hidden);
await page.evaluate(() => { window.kairosStudio.editor.text += "\n"; });
await until(page, "running again", () => !document.getElementById("stop").hidden);
await page.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL);  // a newer run ends it
await until(page, "the ball again", () => /^t = 2/.test(document.getElementById("status").textContent));
passed("a run without an end is stopped, by hand and by a newer one");

// ---- what is shared runs from the disk, from here and from the studio

async function shareFrom(page, name) {
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: work });
  await page.click("#share");
  for (let k = 0; k < 200 && !existsSync(`${work}/${name}`); k++) await wait(50);
  await wait(200);
  console.log(`    ${name}: ${(statSync(`${work}/${name}`).size / 1000).toFixed(0)} kB, ${(gzipSync(readFileSync(`${work}/${name}`)).length / 1000).toFixed(0)} kB compressed`);
}
async function openShared(name) {
  const shared = await open(`file://${work}/${name}`);
  await until(shared, "the result that came along", () => window.kairosStudio?.plots.instants.length > 0);
  assert.equal(await studio(shared, "return editor.text"), BALL);
  await shared.evaluate((t) => { window.kairosStudio.editor.text = t; }, BALL.replace("9.81", "1.62"));
  await until(shared, "on the moon", () => Math.abs(window.kairosStudio.plots.instants[0]?.t - Math.sqrt(2 / 1.62)) < 1e-9);
  await shared.close();
}
await shareFrom(page, "ball.html");
await openShared("ball.html");
unlinkSync(`${work}/ball.html`);
passed("a shared page shows the model and its result from the disk, and runs");
const program = await open(address);
await until(program, "the studio", () => /^t = 2/.test(document.getElementById("status").textContent));
await shareFrom(program, "ball.html");
await openShared("ball.html");
await program.close();
server.kill();
passed("and so does one that the studio has made");

// ---- pages of the gallery and of the tutorial are alive

for (const [name, click] of [["gallery/cradle.html", false], ["tutorial.html", true]]) {
  const live = await open(`file://${folder}/${name}`);
  if (click) await live.click(".live button");
  await live.waitForSelector(".live iframe");
  await live.$eval(".live iframe", (e) => e.scrollIntoView());
  const frame = await (await live.$(".live iframe")).contentFrame();
  await frame.waitForFunction(() => window.kairosStudio?.plots.result?.runs[0]?.status === "end", { timeout: 20000 });
  await live.screenshot({ path: `${work}/${name.replace("/", "-")}.png` });
  await live.close();
}
passed("examples and tutorials run where they are read");

assert.deepEqual(troubles, []);
assert.deepEqual(requests.filter((r) => !r.startsWith(address)), []);
await browser.close();
console.log(`${count} passed, 0 failed`);
process.exit(0);
