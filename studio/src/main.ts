// The page: which file, which experiment, when to run; what is saved, and what to do when the file or the server changes.
import { ask, connected, decode, engine, latest, onConnection, run, type Diagnostic, type Panel, type Result } from "./ask";
import { Editor } from "./editor";
import { Panels } from "./panels";
import { Plots } from "./plots";
import { share } from "./share";

const $ = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const memberBox = $<HTMLSelectElement>("member"), fileBox = $<HTMLSelectElement>("file"), experimentBox = $<HTMLSelectElement>("experiment"), statusBox = $("status"), banner = $("banner"), stop = $("stop");

let path = "", version: string | null = null, savedText = "";
let ends = "\n";  // of the lines of the file: the editor has \n, the file keeps what it has
let experiment: string | null = null, chosenPanels: Panel[] | null = null;
let last: Result | null = null, ghost: Result | null = null;
let cursorTime: number | null = null;
let problems: Diagnostic[] = [];  // why nothing runs
let member = 0;  // which run of a family is looked at
const set = new Map<string, number>(), settings = new Map<string, string>();

// ---- notices

function notice(text: string, note: boolean, ...buttons: [string, () => void][]) {
  banner.hidden = false;
  banner.className = note ? "note" : "";
  banner.replaceChildren(text, ...buttons.map(([label, act]) => {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", act);
    return button;
  }));
}
function calm() { banner.hidden = true; }

function offer(name: string, data: BlobPart, type: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The text of a file as the editor has it.
function taken(file: any): string {
  ends = /\r\n/.test(file.text) ? "\r\n" : "\n";
  return file.text.replace(/\r\n?/g, "\n");
}
const given = (text: string) => (ends === "\n" ? text : text.replace(/\n/g, ends));

// ---- drafts: what is typed is kept by the browser until it is saved

const draftKey = (p: string) => `kairos-draft:${p}`;
function keepDraft() {
  try {
    if (editor.text === savedText) localStorage.removeItem(draftKey(path));
    else localStorage.setItem(draftKey(path), JSON.stringify({ text: editor.text, version }));
  } catch { /* a browser without storage keeps the page itself */ }
}
function draft(p: string): { text: string; version: string } | null {
  try { return JSON.parse(localStorage.getItem(draftKey(p)) ?? "null"); } catch { return null; }
}

function title() {
  const unsaved = editor.text !== savedText;
  document.title = `${unsaved ? "• " : ""}${path || "kairos studio"}`;
  $("save").textContent = unsaved ? "Save •" : "Save";
}

// ---- running

let controller: AbortController | null = null, running = 0, asked = 0;
export const measured = { edit: 0, shown: 0 };  // milliseconds from an edit to its curve, for whoever measures

const question = () => ({ path: path || "untitled.kai", text: editor.text, experiment: experiment ?? undefined, set: Object.fromEntries(set), settings: Object.fromEntries(settings), panels: chosenPanels ?? undefined, member: member || undefined });

async function runNow() {
  const number = ++asked, begun = performance.now();
  controller?.abort();
  controller = new AbortController();
  running++;
  const slow = setTimeout(() => { if (number === asked) { stop.hidden = false; statusBox.textContent = "running …"; statusBox.className = ""; void follow(number); } }, 400);
  try {
    const result = await run(question(), controller.signal);
    if (number === asked) show(result, begun);
  } catch (error) {
    if (number === asked && connected && !(error instanceof DOMException)) { statusBox.textContent = String(error instanceof Error ? error.message : error); statusBox.className = "bad"; }
  } finally {
    clearTimeout(slow);
    running--;
    if (number === asked) stop.hidden = true;
  }
}

// How far a long run has come.
async function follow(number: number) {
  while (number === asked && !stop.hidden && connected) {
    const { reached } = await ask<any>("progress").catch(() => ({ reached: null }));
    if (number !== asked || stop.hidden) return;
    const end = last?.experiment === experiment ? last?.stop : null;
    if (reached !== null) statusBox.textContent = `running … t = ${Number(reached.toPrecision(4))}` + (end ? ` of ${Number(end.toPrecision(4))}` : "");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function show(result: Result, begun: number) {
  const first = result.runs[0];
  statusBox.className = "";
  if (!first) {
    memberBox.hidden = true;
    const errors = result.diagnostics.filter((d) => d.severity === 1).length;
    const empty = editor.text.trim() === "";
    statusBox.textContent = empty ? "" : result.error ?? result.failure?.message ?? `${errors} error${errors === 1 ? "" : "s"}`;
    statusBox.className = "bad";
    problems = result.diagnostics;
    plots.root.classList.add("stale");
    if (!last) experimentBox.hidden = true;
    editor.expects([]);
    panels.update();
    return;
  }
  problems = [];
  plots.root.classList.remove("stale");
  // The ghost is the run before what one is doing now: all steps of a drag have the same.
  const alike = last !== null && last.model === result.model && last.experiment === result.experiment;
  if (!alike && last !== null) member = 0;
  offerMembers(result);
  if (!alike) ghost = null;
  else if (!sameRun(last!, result) && (ghost === null || performance.now() - shownAt > 600)) ghost = last;
  shownAt = performance.now();
  last = result;
  experiment = result.experiment;
  experimentBox.replaceChildren(...result.experiments.map((e) => new Option(e.name, e.name, false, e.name === result.experiment)));
  experimentBox.hidden = result.experiments.length === 0;
  if (wrong) { wrong = 0; editor.messages(result.diagnostics); }  // it compiles: what was marked while it did not is over
  plots.show(result, ghost);
  editor.expects(first.expects);
  panels.update();
  const failed = first.expects.filter((e) => !e.passed).length;
  const how = first.status === "end" ? "" : first.status === "stopped" ? "stopped, " : first.status === "limit" ? "limit, " : "failed, ";
  statusBox.textContent = `${how}t = ${Number(first.reached.toPrecision(6))}, ${first.instants} instant${first.instants === 1 ? "" : "s"}, ${first.rows} rows, ${(1000 * first.seconds).toPrecision(2)} ms` + (first.expects.length ? `, ${first.expects.length - failed} of ${first.expects.length} expected` : "");
  if (first.status !== "end") statusBox.className = "bad";
  requestAnimationFrame(() => requestAnimationFrame(() => { measured.shown = performance.now() - begun; }));
}

// Of a family one run is looked at: it comes first, its instants can be unfolded.
function offerMembers(result: Result) {
  const runs = [...result.runs];
  if (member >= runs.length) member = 0;
  memberBox.hidden = runs.length < 2;
  memberBox.replaceChildren(...runs.map((r, k) => new Option(r.label || `run ${k + 1}`, String(k), false, k === member)));
  if (result.more) memberBox.append(new Option("… and more outcomes", "", false, false));
  if (member > 0) result.runs = [runs[member], ...runs.filter((_, k) => k !== member)];
}

let shownAt = 0;
function sameRun(a: Result, b: Result): boolean {
  const x = a.runs[0], y = b.runs[0];
  if (!x || x.rows !== y.rows || x.values.length !== y.values.length) return false;
  for (let c = 0; c < x.values.length; c++) for (let i = 0; i < x.rows; i += 1 + (x.rows >> 8)) if (!Object.is(x.values[c][i], y.values[c][i])) return false;
  return true;
}

let wrong = 0;  // errors that are marked
async function check() {
  const text = editor.text;
  try {
    const { diagnostics } = await ask<any>("check", { path: path || "untitled.kai", text });
    if (editor.text !== text || !diagnostics) return;
    wrong = diagnostics.filter((d: any) => d.severity === 1).length;
    editor.messages(diagnostics);
  } catch { /* said by the banner */ }
}

// One request at a time while somebody drags: the newest text, as soon as the last answer is there.
let dirty = false, busy = false, checkTimer = 0;
function changed(quick: boolean) {
  title();
  keepDraft();
  dirty = true;
  clearTimeout(checkTimer);
  checkTimer = window.setTimeout(() => void check(), quick ? 150 : 60);
  void pump();
}
async function pump() {
  if (busy) { if (running && performance.now() - pumped > 300) void runNow(); return; }
  busy = true;
  while (dirty) { dirty = false; pumped = performance.now(); await runNow(); }
  busy = false;
}
let pumped = 0;

// What still runs belongs to a text that is left: its answer is nobody's any more.
function leave() { asked++; controller?.abort(); stop.hidden = true; statusBox.textContent = ""; }

// ---- files

async function openFile(name: string, at?: { line: number; character: number }) {
  const file = await ask<any>("read", { path: name });
  if (file.error) { notice(`${name}: ${file.error}`, false, ["Close", calm]); return; }
  calm();
  leave();
  path = name;
  version = file.version;
  savedText = taken(file);
  experiment = null;
  chosenPanels = null;
  set.clear();
  settings.clear();
  last = ghost = null;
  member = 0;
  if (engine && engine.start.first === name) begin();
  plots.forget();
  const mine = draft(name);
  editor.load(mine && mine.version === file.version ? mine.text : savedText);
  if (mine && mine.version !== file.version && mine.text !== savedText) conflict(savedText, file.version, mine.text);
  else if (savedText.includes("\ufffd")) notice("The file is not UTF-8 throughout: what is not shows as \ufffd, and would be saved like that.", false, ["Close", calm]);
  await listFiles();
  if (!document.documentElement.classList.contains("bare")) location.hash = encodeURIComponent(name);
  title();
  changed(false);
  if (at) editor.show(at);
}

// What a shared page was sent with.
function begin() {
  const start = engine!.start;
  experiment = start.experiment ?? null;
  chosenPanels = (start.panels as Panel[] | undefined) ?? null;
  for (const [name, value] of start.set ?? []) set.set(name, value);
  for (const [name, value] of start.settings ?? []) settings.set(name, value);
}

async function listFiles() {
  const { files } = await ask<any>("files");
  fileBox.replaceChildren(...files.map((f: string) => new Option(f, f, false, f === path)), new Option("new model …", "\n"));
}

function conflict(theirs: string, theirVersion: string, mine: string) {
  notice("The file has changed on the disk, and so has your text.", false,
    ["Load the file", () => { savedText = theirs; version = theirVersion; editor.text = theirs; calm(); title(); }],
    ["Keep mine", () => { savedText = theirs; version = theirVersion; editor.text = mine; calm(); title(); }]);
}

async function save() {
  if (!path) { await saveAs(); return; }
  const text = editor.text;
  try {
    const written = await ask<any>("write", { path, text: given(text), version });
    if (written.conflict) { const file = await ask<any>("read", { path }); conflict(file.text !== undefined ? taken(file) : "", file.version ?? null, text); return; }
    if (written.error) { notice(written.error, false, ["Close", calm]); return; }
    version = written.version;
    savedText = text;
    keepDraft();
    title();
  } catch { /* said by the banner */ }
}

async function saveAs(suggestion = "model.kai", text = editor.text) {
  let name = prompt("Name of the new model", suggestion);
  if (!name) return;
  if (!name.endsWith(".kai")) name += ".kai";
  const written = await ask<any>("write", { path: name, text, version: null });
  if (written.error) notice(`${name}: ${written.conflict ? "there is such a file already" : written.error}`, false, ["Close", calm]);
  else {
    if (!path) try { localStorage.removeItem(draftKey("")); } catch { /* none was kept */ }
    await openFile(name);
  }
}

// A file of the library: to be read. Whoever changes it saves a copy under a name of their own.
async function openLibrary(name: string, at?: { line: number; character: number }) {
  const file = await ask<any>("library", { path: name });
  if (file.error) { notice(`${name}: ${file.error}`, false, ["Close", calm]); return; }
  leave();
  path = "";
  version = null;
  savedText = taken(file);
  experiment = chosenPanels = last = ghost = null;
  set.clear();
  settings.clear();
  plots.forget();
  editor.load(savedText);
  await listFiles();
  title();
  notice(`${name} is part of the library. You are looking at a copy.`, true, ["Close", calm]);
  changed(false);
  if (at) editor.show(at);
}

// A text of its own in the folder, under a name that is free.
async function create(wanted: string, text: string) {
  const stem = wanted.replace(/\.kai$/, "");
  for (let n = 0; n < 100; n++) {
    const name = n ? `${stem}-${n + 1}.kai` : `${stem}.kai`;
    const written = await ask<any>("write", { path: name, text, version: null });
    if (written.conflict) continue;
    if (written.error) notice(written.error, false, ["Close", calm]);
    else await openFile(name);
    return;
  }
}

// Once a second: is the server there, has the file changed?
async function look() {
  try {
    if (!path) { await ask("look", { path: "none.kai" }); return; }
    const seen = await ask<any>("look", { path });
    if (seen.version === version || !seen.version || (!banner.hidden && banner.className !== "note")) return;
    const file = await ask<any>("read", { path });
    if (file.error || file.version === version) return;
    const text = taken(file);
    if (editor.text === savedText) {
      version = file.version;
      savedText = text;
      editor.text = text;
      notice("The file has changed on the disk and was loaded.", true, ["Close", calm]);
      setTimeout(() => { if (banner.className === "note") calm(); }, 3000);
      title();
    } else if (text === editor.text) { version = file.version; savedText = text; title(); }
    else conflict(text, file.version, editor.text);
  } catch { /* said by the banner */ }
}

onConnection((up) => {
  if (up) { calm(); changed(false); return; }
  statusBox.textContent = "";
  notice("The studio does not answer: its program has ended. Nothing that you typed is lost; start `kairos studio` again, or keep the text.", false, ["Download the text", () => offer(path || "model.kai", editor.text, "text/plain")]);
});

// ---- the parts of the page

const editor = new Editor($("editor"), () => path || "untitled.kai", changed, () => void save(), (name, at) => void (name.startsWith("/") ? openLibrary(name.replace(/.*\//, ""), at) : openFile(name, at)), (text) => notice(text, true, ["Close", calm]));

function modesAt(): Record<string, string> {
  const first = last?.runs[0], modes: Record<string, string> = {};
  if (!first || !last) return modes;
  let row = first.rows - 1;
  if (plots.selected) row = plots.selected.from + plots.tag;
  else if (cursorTime !== null) { row = 0; while (row + 1 < first.rows && first.t[row + 1] <= cursorTime) row++; }
  last.columns.forEach((c, k) => { if (c.kind === "mode") modes[c.name.replace(/\.?mode$/, "")] = c.modes?.[first.values[k][row]] ?? ""; });
  return modes;
}

function arrange(list: Panel[] | null) {
  const full = list?.filter((p) => p.signals.length);
  chosenPanels = full?.length ? full : null;
  dirty = true;
  void pump();
}

const panels: Panels = new Panels($("tabs"), $("panel"), {
  text: () => editor.text, path: () => path, problems: () => problems, question, result: () => last, set, settings, modesAt,
  rerun: () => { dirty = true; void pump(); },
  show: (at) => editor.show(at),
  showName: (name) => { const at = editor.text.search(new RegExp(`\\b${name}\\b`)); if (at >= 0) { const line = editor.view.state.doc.lineAt(at); editor.show({ line: line.number - 1, character: at - line.from }, { line: line.number - 1, character: at - line.from + name.length }); } },
  highlight: (lines) => editor.fired(lines),
  limits: (list) => plots.showLimits(list), setPanels: arrange, toggleLog: (k) => plots.toggleLog(k), toggleLogTime: () => plots.toggleLogTime(), logTime: () => plots.logTime,
  openCopy: async (example) => { const file = await ask<any>("example", { path: example }); if (file.text) await create(example.replace(/\/model\.kai$/, ".kai").replace(/\//g, "-"), file.text); },
  // The witness of `prove` as an experiment of this text, instead of an older one.
  replay: (witness) => {
    const mark = "\n// A start from which", at = editor.text.indexOf(mark);
    experiment = witness.match(/experiment (\w+)/)?.[1] ?? null;  // before the text, whose change runs it
    editor.text = (at >= 0 ? editor.text.slice(0, at) : editor.text.replace(/\n*$/, "\n")) + "\n" + witness;
  },
  tagChosen: (tag) => plots.select(plots.selected, tag),
});

const plots: Plots = new Plots($("plots"), (instant, tag) => { void panels.showInstant(instant, tag); panels.activate(); },
  (t) => { cursorTime = t; panels.activate(); },
  (signal, index, from, over) => {
    if (!last || !last.variables.some((v) => v.name === signal)) return;
    const list: Panel[] = last.panels.map((p) => ({ signals: [...p.signals], against: p.against }));
    if (over && index !== null) list[index].against = signal;
    else {
      if (from !== null) list[from].signals = list[from].signals.filter((s) => s !== signal);
      if (index === null) list.push({ signals: [signal] });
      else list[index].signals = [...new Set([...list[index].signals, signal])];
    }
    arrange(list);
  });

// ---- buttons

$("save").addEventListener("click", () => void save());
$("format").addEventListener("click", () => void editor.format());
$("share").addEventListener("click", () => void sharePage(stem()));
stop.addEventListener("click", () => void ask("stop"));
fileBox.addEventListener("change", () => { if (fileBox.value === "\n") { fileBox.value = path; void saveAs("model.kai", "model Ball {\n  param g [m/s^2] = 9.81, e = 0.8\n  state y [m] = 1, v [m/s] = 0\n  event hit = down(y)\n  y' = v; v' = -g\n  when hit { v := -e*v }\n}\nexperiment bounce of Ball { stop = 2[s]; plot y }\n"); } else void openFile(fileBox.value); });
memberBox.addEventListener("change", () => { if (memberBox.value === "") { memberBox.value = String(member); return; } member = Number(memberBox.value); ghost = null; plots.select(null); void runNow(); });
experimentBox.addEventListener("change", () => { member = 0; experiment = experimentBox.value; chosenPanels = null; last = ghost = null; plots.select(null); plots.reset(); void runNow(); });

// The name of the file without its folder and ending; of an example that of its folder.
const stem = () => path.replace(/\/model\.kai$/, "").replace(/.*\//, "").replace(/\.kai$/, "") || "model";

// What others get: the text, what is chosen, and the run as it is shown here.
async function sharePage(name: string) {
  const same = latest && (latest.question as any).text === editor.text;
  const start = { first: path || "model.kai", text: editor.text, experiment, set: [...set], settings: [...settings], panels: chosenPanels, answer: same ? JSON.stringify(latest!.answer) : null };
  const { html, runs } = await share(start, `${last?.model ?? name}, ${experiment ?? ""} · Kairos`);
  offer(`${name}.html`, html, "text/html");
  if (!runs) notice("This program has no engine for pages (`make playground` builds it): the page shows the model and its result, and does not run.", true, ["Close", calm]);
}

const menu = $("menu");
let formats: { ending: string; about: string }[] = [];
$("download").addEventListener("click", (event) => {
  const name = stem(), [from, to] = plots.range();
  const items: [string, () => Promise<void>][] = [
    ...formats.map(({ ending, about }): [string, () => Promise<void>] => [`Result, ${ending.toUpperCase()}${about ? ": " + about : ""}`, async () => {
      const r = await ask<any>("result", { ...question(), format: ending });
      if (r.bytes) offer(`${name}.${ending}`, decode(r.bytes), "application/octet-stream"); else notice(r.error ?? "no result", false, ["Close", calm]);
    }]),
    ...(["svg", "png", "pdf"] as const).map((kind): [string, () => Promise<void>] => [`Figure, ${kind.toUpperCase()}`, async () => { const f = await ask<any>("figure", { ...question(), format: kind, from, to }); if (f.bytes) offer(`${name}.${kind}`, decode(f.bytes), kind === "svg" ? "image/svg+xml" : kind === "png" ? "image/png" : "application/pdf"); else notice(f.error ?? "no figure", false, ["Close", calm]); }]),
    ["Text of the model", async () => offer(name + ".kai", editor.text, "text/plain")],
  ];
  menu.replaceChildren(...items.map(([label, act]) => {
    const button = document.createElement("button");
    button.textContent = label;
    button.setAttribute("role", "menuitem");
    button.addEventListener("click", () => { menu.hidden = true; void act(); });
    return button;
  }));
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  menu.hidden = !menu.hidden;
  menu.style.top = box.bottom + 4 + "px";
  menu.style.left = Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 4)) + "px";
  (menu.firstElementChild as HTMLElement).focus();
});
document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target as Node) && event.target !== $("download")) menu.hidden = true; });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !menu.hidden) { menu.hidden = true; $("download").focus(); } });
menu.addEventListener("keydown", (event) => {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0, items = [...menu.children] as HTMLElement[];
  if (!by) return;
  event.preventDefault();
  items[(items.indexOf(document.activeElement as HTMLElement) + by + items.length) % items.length].focus();
});

const splitter = $("splitter"), write = $("write");
const widen = (x: number) => { write.style.width = Math.max(15, Math.min(80, (100 * x) / innerWidth)) + "%"; };
splitter.addEventListener("pointerdown", (event) => { splitter.setPointerCapture(event.pointerId); splitter.onpointermove = (e) => widen(e.clientX); });
splitter.addEventListener("pointerup", () => (splitter.onpointermove = null));
splitter.addEventListener("keydown", (event) => { const by = event.key === "ArrowLeft" ? -30 : event.key === "ArrowRight" ? 30 : 0; if (by) widen(write.getBoundingClientRect().right + by); });

function theme(name: string) { document.documentElement.dataset.theme = name; plots.redraw(); }
const remembered = (() => { try { return localStorage.getItem("kairos-theme"); } catch { return null; } })();
const system = matchMedia("(prefers-color-scheme: dark)");
theme(remembered ?? (system.matches ? "dark" : "light"));
system.addEventListener("change", () => { if (!remembered) theme(system.matches ? "dark" : "light"); });
$("theme").addEventListener("click", () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; try { localStorage.setItem("kairos-theme", next); } catch { /* as it is */ } theme(next); });
addEventListener("beforeunload", (event) => { keepDraft(); if (editor.text !== savedText && !connected) event.preventDefault(); });

// ---- start

async function start() {
  document.documentElement.classList.toggle("bare", engine?.start.bare === true || /^#bare:/.test(location.hash));
  const words = editor.loadWords().then(async () => { formats = (await ask<any>("settings", { text: "" })).formats; }).catch(() => undefined);
  if (!engine) await words;  // a page without a server shows its result while the engine awakes
  const { first } = await ask<any>("start");
  const { files } = await ask<any>("files");
  const hash = decodeURIComponent(location.hash.slice(1)).replace(/^bare:/, "");
  const there = files.includes(hash) || (engine !== null && hash !== "" && !(await ask<any>("look", { path: hash })).error && (await ask<any>("read", { path: hash })).text !== undefined);
  const wanted = there ? hash : first || files[0], full = $<HTMLAnchorElement>("full");
  full.hidden = !document.documentElement.classList.contains("bare");
  full.href = location.href.replace(/#.*/, "") + "#" + encodeURIComponent(wanted);
  if (wanted) await openFile(wanted);
  else {
    await listFiles();
    experimentBox.hidden = true;
    panels.open("Examples");
    const mine = draft("");
    if (mine) editor.text = mine.text;
  }
  setInterval(() => void look(), 1000);
}
void start();
(window as any).kairosStudio = { editor, plots, measured };  // for those who measure
