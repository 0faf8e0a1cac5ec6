// The page of `kairos plot -o page.html` in a browser: pointer, keys, instants, signals, widths, themes. The ball's closed form says what
// the cursor must show: impact 1 at sqrt(2/9.81) s with -sqrt(2 9.81), and 0.8 of that after it.
// usage: node plot_page.mjs WORK      with CHROMIUM and KAIROS in the environment
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

const puppeteer = createRequire(new URL("../../studio/package.json", import.meta.url))("puppeteer-core");
const work = process.argv[2];
const page = `${work}/ball.html`;
execFileSync(process.env.KAIROS, ["plot", "examples/ball/model.kai", "-o", page]);

let failed = 0;
function check(good, what) {
    if (good) return;
    failed++;
    console.log(`FAILED ${what}`);
}

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ["--no-sandbox"] });
const tab = await browser.newPage();
tab.on("pageerror", (error) => check(false, error.message));
tab.on("request", (request) => check(request.url().startsWith("file:"), `the page asks for ${request.url()}`));
await tab.setViewport({ width: 1280, height: 900 });
await tab.goto(`file://${page}`);
await tab.waitForSelector("html[data-ready=yes]");
const look = () => tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
    const { cursor, chosen, times } = window.kairos;
    done({ cursor, chosen, times, legend: [...document.querySelectorAll(".legend")].pop().textContent, panels: document.querySelectorAll(".panel").length,
           tags: document.querySelectorAll(".instant tbody tr").length, text: document.body.textContent });
}))));

await look();
const first = Math.sqrt(2 / 9.81), speed = Math.sqrt(2 * 9.81);
await tab.keyboard.press("n");
let now = await look();
check(Math.abs(now.chosen - first) < 1e-12, "n goes to the first impact");
check(now.tags === 3, "its three tags are unfolded");
check(now.legend.includes(`−${speed.toPrecision(6)} → ${(0.8 * speed).toPrecision(6)}`), `both sides of the jump: ${now.legend}`);
check(now.text.includes("event hit = down(y)"), "what fired, with its line");
await tab.keyboard.press("Escape");
check((await look()).tags === 0, "Escape folds it");

const box = await (await tab.$$(".plot"))[2].boundingBox();
const x = await tab.evaluate((t) => window.kairos.parts[2].x.pixel(t), first * 2.6 - 0.003);
await tab.mouse.move(box.x + x, box.y + 60);
check(Math.abs((await look()).cursor - first * 2.6) < 1e-9, "the cursor goes to an instant beside it");
await tab.mouse.click(box.x + x, box.y + 60);
check((await look()).tags === 3, "a click unfolds it");
await tab.mouse.wheel({ deltaY: -400 });
now = await look();
check(now.times.to - now.times.from < 3, "the wheel zooms");
await tab.mouse.move(box.x + 400, box.y + 60);
await tab.mouse.down();
await tab.mouse.move(box.x + 300, box.y + 60, { steps: 4 });
await tab.mouse.up();
check((await look()).times.from > now.times.from, "dragging moves");
await tab.keyboard.press("0");
check((await look()).times.to === 5, "0 shows all");
await tab.keyboard.press("s");
await tab.click("dialog input");
await tab.keyboard.press("Escape");
check((await look()).panels === 2, "a signal can be left out");

for (const [width, theme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    await tab.setViewport({ width, height: 844, isMobile: width < 500, hasTouch: width < 500 });
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
    await look();
    check((await tab.evaluate(() => document.documentElement.scrollWidth)) <= width, `wider than ${width} pixels`);
    check((await tab.evaluate(() => getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)")) === (theme === "dark"), theme);
    await tab.screenshot({ path: `${work}/page-${width}-${theme}.png` });
}
await browser.close();
console.log(failed === 0 ? "the page of kairos plot: passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
