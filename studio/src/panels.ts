// What stands below the plots: values, the instant, signals, diagrams, explain, prove, examples.
import { ask, format, type Diagnostic, type Fired, type Limit, type Panel, type Position, type Result, type Variable } from "./ask";
import type { Instant } from "./plots";

export interface Host {
  text(): string;
  path(): string;
  problems(): Diagnostic[];
  question(): object;
  result(): Result | null;
  set: Map<string, number>;
  settings: Map<string, string>;
  rerun(): void;
  show(at: Position): void;
  showName(name: string): void;
  highlight(lines: number[]): void;
  setPanels(panels: Panel[] | null): void;
  limits(list: Limit[]): void;
  toggleLog(panel: number): void;
  toggleLogTime(): void;
  logTime(): boolean;
  openCopy(path: string): Promise<void>;
  replay(experiment: string): void;
  tagChosen(tag: number): void;
  modesAt(): Record<string, string>;
}

// Where each machine is drawn: the smallest frame around its name.
function machineFrames(box: Element, machines: string[]): { machine: string; left: number; right: number; top: number; bottom: number }[] {
  const frames = [...box.querySelectorAll("polygon")].map((p) => (p.getAttribute("points") ?? "").trim().split(/[\s,]+/).map(Number)).filter((n) => n.length === 8)
    .map((n) => ({ left: Math.min(n[0], n[2], n[4], n[6]), right: Math.max(n[0], n[2], n[4], n[6]), top: Math.min(n[1], n[3], n[5], n[7]), bottom: Math.max(n[1], n[3], n[5], n[7]) }))
    .filter((f) => f.bottom - f.top > 40).sort((a, b) => (a.right - a.left) * (a.bottom - a.top) - (b.right - b.left) * (b.bottom - b.top));
  const found = [];
  for (const text of box.querySelectorAll("text")) {
    const machine = text.textContent?.trim() ?? "", x = Number(text.getAttribute("x")), y = Number(text.getAttribute("y"));
    if (!machine || !machines.includes(machine)) continue;
    const frame = frames.find((f) => x >= f.left && x <= f.right && y >= f.top && y <= f.bottom);
    if (frame) found.push({ machine, ...frame });
  }
  return found.sort((a, b) => (a.right - a.left) - (b.right - b.left));
}

type Draw = (root: HTMLElement) => void | Promise<void>;

function element<K extends keyof HTMLElementTagNameMap>(kind: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const e = document.createElement(kind);
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

export class Panels {
  private current = "Values";
  private instant: Instant | null = null;
  private tag = 0;
  private instantData: any = null;
  private kind = "";  // of the diagram; empty: what the text is about
  private explained: { key: string; limits: Limit[] } | null = null;
  private svg = "";
  private svgKey = "";
  private examples: string[] | null = null;
  private axesOpen = false;
  private readonly tabs: Record<string, Draw> = {
    Values: (r) => this.values(r), Instant: (r) => this.instantTable(r), Signals: (r) => this.signals(r), Diagram: (r) => this.diagram(r),
    Explain: (r) => this.explain(r), Prove: (r) => this.prove(r), Examples: (r) => this.gallery(r),
  };

  constructor(private readonly nav: HTMLElement, private readonly root: HTMLElement, private readonly host: Host) {
    for (const name of Object.keys(this.tabs)) {
      const button = element("button", "", name);
      button.setAttribute("role", "tab");
      button.id = "tab-" + name.toLowerCase();
      button.addEventListener("click", () => this.open(name));
      nav.append(button);
    }
    nav.addEventListener("keydown", (event) => {
      const names = Object.keys(this.tabs), at = names.indexOf(this.current), by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!by) return;
      this.open(names[(at + by + names.length) % names.length]);
      (nav.children[names.indexOf(this.current)] as HTMLElement).focus();
    });
    this.open("Values");
  }

  open(name: string) {
    this.current = name;
    for (const tab of this.nav.children) {
      const on = tab.textContent === name;
      tab.setAttribute("aria-selected", String(on));
      (tab as HTMLElement).tabIndex = on ? 0 : -1;
    }
    this.root.setAttribute("aria-labelledby", "tab-" + name.toLowerCase());
    this.root.replaceChildren();
    if (name !== "Explain" && this.explained) { this.explained = null; this.host.limits([]); }
    void this.tabs[name](this.root);
  }

  // A new run is there.
  update() {
    if (this.current === "Values") this.refreshValues();
    if (this.current === "Diagram") void this.diagram(this.root);
    if (this.current === "Explain" && this.explained && this.explained.key !== JSON.stringify(this.host.question())) this.open("Explain");
    else if (this.current === "Explain" && this.explained) this.host.limits(this.explained.limits);
    if (this.current === "Signals") { this.root.replaceChildren(); this.signals(this.root); }
  }

  // ---- values: a slider for every parameter and start value

  private shown = "";
  private settable(): Variable[] { return (this.host.result()?.variables ?? []).filter((v) => v.settable && v.start !== undefined).sort((a, b) => Number(b.kind === "param") - Number(a.kind === "param")).slice(0, 120); }

  // What the sliders are made of: not what they are set to, or one that is being dragged would go away.
  private readonly base = new Map<string, number>();
  private key(): string {
    const list = this.settable();
    for (const v of list) if (!this.host.set.has(v.name)) this.base.set(v.name, v.start!);
    return JSON.stringify(list.map((v) => [v.name, v.unit, this.base.get(v.name)]));
  }

  private refreshValues() {
    if (this.key() !== this.shown) { this.root.replaceChildren(); this.values(this.root); }
    this.root.querySelector<HTMLElement>(".back")!.hidden = this.host.set.size + this.host.settings.size === 0;
    this.status();
  }

  private status() {
    const box = this.root.querySelector<HTMLElement>(".expects"), result = this.host.result(), run = result?.runs[0];
    const troubles = this.root.querySelector<HTMLElement>(".troubles");
    if (!box || !troubles) return;
    box.replaceChildren();
    troubles.replaceChildren();
    for (const e of this.host.problems().length ? [] : run?.expects ?? []) {
      const line = element("div", e.passed ? "good" : "bad", `${e.passed ? "✓" : "✗"} expect ${e.source}${e.passed || e.value === undefined ? "" : ` — is ${format(e.value, 9)}${e.unit ? " " + e.unit : ""}`}`);
      box.append(line);
    }
    for (const d of this.host.problems().slice(0, 20)) {  // why nothing runs
      const line = element("div"), link = element("button", "link bad", `line ${d.range.start.line + 1}: ${d.message}`);
      link.addEventListener("click", () => this.host.show(d.range.start));
      line.append(link, element("span", "faint", d.data?.help ? `  help: ${d.data.help}` : ""));
      troubles.append(line);
    }
    for (const w of [...(run?.warnings ?? []), ...(run?.failure ? [run.failure] : []), ...(result?.failure ? [result.failure] : [])]) troubles.append(element("div", w === run?.failure ? "bad" : "faint", w.message + (w.data?.help ? `\nhelp: ${w.data.help}` : "")));
  }

  private values(root: HTMLElement) {
    const list = this.settable(), rows = element("div", "rows");
    this.shown = this.key();
    root.append(element("div", "troubles"));
    if (!list.length && this.host.result()) root.append(element("p", "faint", "The model has no parameters."));
    {
      const back = element("button", "back", "as in the text");
      back.hidden = this.host.set.size + this.host.settings.size === 0;
      back.addEventListener("click", () => { this.host.set.clear(); this.host.settings.clear(); this.shown = ""; this.host.rerun(); });
      root.append(back);
    }
    for (const v of list) this.slider(rows, v);
    root.append(rows, this.settings(), element("div", "expects"));
    this.status();
  }

  // ---- settings: a form from the table of the language

  private known: { name: string; text: string; range: string; otherwise: string; words: string[] }[] = [];

  private settings(): HTMLElement {
    const box = element("details", "settings"), rows = element("div", "rows");
    box.open = this.host.settings.size > 0;
    box.append(element("summary", "faint", "Settings of the run"), rows);
    const fill = async () => {
      if (!this.known.length) this.known = (await ask<any>("settings", { text: "" })).settings;
      rows.replaceChildren();
      for (const s of this.known) {
        const label = element("label", "name", s.name), input = s.words.length ? element("select") : element("input");
        input.id = "setting-" + s.name;
        label.htmlFor = input.id;
        if (input instanceof HTMLSelectElement) input.append(new Option("", ""), ...s.words.map((w) => new Option(w, w)));
        else { input.type = "text"; input.placeholder = s.otherwise.length < 16 ? s.otherwise : ""; }
        input.value = this.host.settings.get(s.name) ?? "";
        input.title = `${s.range}; default: ${s.otherwise}`;
        input.addEventListener("change", () => { if (input.value.trim()) this.host.settings.set(s.name, input.value.trim()); else this.host.settings.delete(s.name); this.host.rerun(); });
        rows.append(label, element("span", "about", s.text), input);
      }
    };
    box.addEventListener("toggle", () => { if (box.open) void fill(); });
    if (box.open) void fill();
    return box;
  }

  private slider(rows: HTMLElement, v: Variable) {
    const start = this.base.get(v.name) ?? v.start!, now = this.host.set.get(v.name) ?? start, size = Math.abs(start) || 1;
    const name = element("label", "name", v.name + (v.unit ? ` [${v.unit}]` : ""));
    name.title = v.description ?? v.kind;
    const range = element("input"), box = element("input");
    range.type = "range";
    range.id = "slider-" + v.name;
    name.htmlFor = range.id;
    // From 0 to twice the value, beyond 0 where it is a start value; a value set by hand widens it.
    const low = start > 0 && v.kind === "param" ? 0 : -2 * size, high = start >= 0 ? 2 * size : v.kind === "param" ? 0 : 2 * size;
    range.min = String(Math.min(low, now));
    range.max = String(Math.max(high, now));
    range.step = String((high - low) / 400);
    range.value = String(now);
    box.type = "text";
    box.inputMode = "decimal";
    box.value = format(now, 6).replace("−", "-");
    box.setAttribute("aria-label", `${v.name}${v.unit ? " in " + v.unit : ""}`);
    const take = (value: number) => { this.host.set.set(v.name, value); this.host.rerun(); };
    range.addEventListener("input", () => { box.value = format(Number(range.value), 6).replace("−", "-"); take(Number(range.value)); });
    box.addEventListener("change", () => { const value = Number(box.value.replace("−", "-").replace(",", ".")); if (Number.isFinite(value)) { range.min = String(Math.min(Number(range.min), value)); range.max = String(Math.max(Number(range.max), value)); range.value = String(value); take(value); } });
    name.addEventListener("dblclick", () => v.line !== undefined && this.host.show({ line: v.line, character: 0 }));
    rows.append(name, range, box);
  }

  // ---- the instant

  async showInstant(instant: Instant | null, tag: number) {
    const same = instant?.t === this.instant?.t && this.instantData;
    this.instant = instant;
    this.tag = tag;
    if (!instant) { this.instantData = null; this.host.highlight([]); if (this.current === "Instant") this.open("Instant"); return; }
    if (!same) this.instantData = await ask<any>("instant", { ...this.host.question(), t: instant.t }).catch(() => null);
    if (this.instant !== instant) return;
    if (this.current === "Diagram") void this.diagram(this.root);
    else this.open("Instant");
    this.markFired();
  }

  private firedAt(): Fired[] {
    const tags: [number, number][] = this.instantData?.tags ?? [], [p, m] = tags[this.tag] ?? [0, 0];
    return (this.instantData?.fired ?? []).filter((f: Fired) => f.p === p && f.m === m);
  }
  private markFired() { this.host.highlight(this.firedAt().flatMap((f) => (f.position ? [f.position.line] : []))); }

  private instantTable(root: HTMLElement) {
    const data = this.instantData;
    if (!this.instant || !data?.tags) { root.append(element("p", "faint", "Click an instant, one of the small triangles on a time axis, or go through them with ← and →; ↑ and ↓ go from tag to tag.")); return; }
    root.append(element("div", "", `t = ${data.t}: ${data.tags.length} tags`));
    const table = element("table", "tags"), head = table.createTHead().insertRow();
    head.append(element("th", "", ""));
    data.tags.forEach(([p, m]: [number, number], k: number) => {
      const th = element("th", k === this.tag ? "now" : "", `⟨${p}, ${m}⟩`.replace("-", "−"));
      th.addEventListener("click", () => this.host.tagChosen(k));
      head.append(th);
    });
    const body = table.createTBody();
    for (const v of data.values.filter((x: any) => x.changes)) {
      const row = body.insertRow();
      row.append(element("td", "", v.name + (v.unit ? ` [${v.unit}]` : "")));
      v.at.forEach((x: number | string | null, k: number) => {
        const cell = element("td", (k > 0 && x !== v.at[k - 1] ? "changed " : "") + (k === this.tag ? "now" : ""), typeof x === "string" ? x : format(x, 7));
        row.append(cell);
      });
    }
    const scroll = element("div", "scroll");
    scroll.append(table);
    const list = element("ul", "fired");
    for (const f of data.fired as Fired[]) {
      const item = element("li"), at = f.position;
      item.append(element("span", "kind", `⟨${f.p}, ${f.m}⟩ `.replace("-", "−")), element("span", "kind", f.kind));
      if (at) { const link = element("button", "link", `${f.text}  (line ${at.line + 1})`); link.addEventListener("click", () => this.host.show(at)); item.append(link); }
      else item.append(document.createTextNode(f.text + (f.file ? ` (${f.file})` : "")));
      list.append(item);
    }
    const rest = data.values.filter((x: any) => !x.changes && x.at[0] !== null), more = element("details");
    more.append(element("summary", "faint", rest.length === 1 ? "1 value that stays" : `${rest.length} values that stay`));
    more.append(element("pre", "", rest.map((v: any) => `${v.name} = ${typeof v.at[0] === "string" ? v.at[0] : format(v.at[0], 9)}${v.unit ? " " + v.unit : ""}`).join("\n")));
    const both = element("div", "instant"), left = element("div");
    left.append(scroll, list, more);
    both.append(left);
    root.append(both);
    if (this.hasBonds() || Object.keys(this.host.modesAt()).length) void this.beside(both);
  }

  private hasBonds(): boolean { return /\bbond\b|\bconnect\b/.test(this.host.text()); }
  private likelyKind(): string { const text = this.host.text(); return /\bconnect\b/.test(text) ? "schematic" : /\bbond\b/.test(text) ? "bonds" : /\bmodes\b/.test(text) ? "modes" : "blocks"; }

  // The machines, with the modes that are active at this tag; of a bond graph its causal strokes.
  private async beside(root: HTMLElement) {
    const box = element("div", "diagram"), modes = this.host.modesAt(), question = this.host.question(), tag = this.tag;
    root.append(box);
    const bonds = this.hasBonds();
    const answer = await ask<any>("diagram", { ...question, kind: bonds ? "bonds" : "modes", modes }).catch(() => null);
    if (!answer?.svg || this.tag !== tag || !box.isConnected) { if (box.isConnected) box.remove(); return; }
    this.place(box, answer.svg);
    this.activate();
  }

  private place(box: HTMLElement, text: string) {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    svg.removeAttribute("height");
    box.replaceChildren(document.importNode(svg, true));
    box.onclick = (event) => {
      const name = (event.target as Element).closest("text")?.textContent?.trim().match(/[A-Za-z_][\w]*/)?.[0];
      if (name) this.host.showName(name);
    };
  }

  // ---- signals: which are drawn where

  private signals(root: HTMLElement) {
    const result = this.host.result();
    if (!result) return;
    const find = element("input");
    find.type = "search";
    find.placeholder = "find a signal";
    find.setAttribute("aria-label", "find a signal");
    const list = element("div");
    const fill = () => {
      list.replaceChildren();
      for (const v of result.variables.filter((x) => x.recorded && x.name.toLowerCase().includes(find.value.toLowerCase())).slice(0, 200)) {
        const line = element("label"), box = element("input");
        box.type = "checkbox";
        const column = v.name, on = result.panels.some((p) => p.signals.includes(column));
        box.checked = on;
        box.addEventListener("change", () => {
          const panels = result.panels.map((p) => ({ ...p, signals: p.signals.filter((s) => s !== column) })).filter((p) => p.signals.length);
          if (box.checked) panels.push({ signals: [column] });
          this.host.setPanels(panels.length ? panels : null);
        });
        line.draggable = true;
        line.addEventListener("dragstart", (event) => event.dataTransfer!.setData("text/plain", column));
        line.append(box, ` ${v.name}${v.unit ? ` [${v.unit}]` : ""} `, element("span", "faint", `${v.kind}${v.description ? ": " + v.description : ""}`));
        const row = element("div");
        row.append(line);
        if (on && result.panels.length > 1) row.append(" ", this.panelChoice(result, column));
        list.append(row);
      }
    };
    find.addEventListener("input", fill);
    const back = element("button", "", "as in the text");
    back.addEventListener("click", () => this.host.setPanels(null));
    root.append(this.axes(result), find, " ", back, element("p", "faint", "Drag a signal onto a plot to draw it there, onto its time axis to draw it over that signal; names in a plot can be dragged too."), list);
    fill();
  }

  // In which panel a signal is drawn.
  private panelChoice(result: Result, signal: string): HTMLElement {
    const pick = element("select"), now = result.panels.findIndex((p) => p.signals.includes(signal));
    pick.setAttribute("aria-label", `panel of ${signal}`);
    result.panels.forEach((_, k) => pick.append(new Option(`panel ${k + 1}`, String(k), false, k === now)));
    pick.append(new Option("a panel of its own", "new"));
    pick.addEventListener("change", () => {
      const list: Panel[] = result.panels.map((p) => ({ signals: p.signals.filter((s) => s !== signal), against: p.against }));
      if (pick.value === "new") list.push({ signals: [signal] });
      else list[Number(pick.value)].signals.push(signal);
      this.host.setPanels(list);
    });
    return pick;
  }

  // What each panel is drawn over, and on which scale.
  private axes(result: Result): HTMLElement {
    const box = element("details", "axes"), time = element("label"), logTime = element("input");
    box.append(element("summary", "faint", "Axes"));
    box.open = this.axesOpen;
    box.addEventListener("toggle", () => (this.axesOpen = box.open));
    result.panels.forEach((panel, k) => {
      const row = element("div"), over = element("select"), label = element("label"), log = element("input");
      over.setAttribute("aria-label", `panel ${k + 1} over`);
      over.append(new Option("time", ""), ...result.variables.filter((v) => v.recorded).slice(0, 300).map((v) => new Option(v.name, v.name, false, v.name === panel.against)));
      over.addEventListener("change", () => this.host.setPanels(result.panels.map((p, n) => ({ signals: p.signals, against: n === k ? over.value || undefined : p.against }))));
      log.type = "checkbox";
      log.checked = panel.log === true;
      log.addEventListener("change", () => this.host.toggleLog(k));
      label.append(log, " logarithmic");
      row.append(`${panel.signals.join(", ")} over `, over, " ", label);
      box.append(row);
    });
    logTime.type = "checkbox";
    logTime.checked = this.host.logTime();
    logTime.addEventListener("change", () => this.host.toggleLogTime());
    time.append(logTime, " logarithmic time");
    box.append(time);
    return box;
  }

  // ---- diagrams

  private async diagram(root: HTMLElement) {
    const modes = this.host.modesAt(), wanted = this.kind || this.likelyKind(), key = JSON.stringify([this.host.text(), wanted, wanted === "bonds" ? modes : 0]);
    if (!root.querySelector(".diagram")) {
      const pick = element("div");
      for (const [kind, label] of [["schematic", "parts"], ["modes", "modes"], ["blocks", "blocks"], ["bonds", "bonds"]]) {
        const button = element("button", "", label);
        button.setAttribute("aria-pressed", String(kind === wanted));
        button.addEventListener("click", () => { this.kind = kind; this.svgKey = ""; root.replaceChildren(); void this.diagram(root); });
        pick.append(button, " ");
      }
      root.append(pick, element("div", "diagram"));
    }
    if (key !== this.svgKey) {
      this.svgKey = key;
      this.svg = "";  // until the new one is there
      const answer = await ask<any>("diagram", { ...this.host.question(), kind: wanted, modes }).catch((e) => ({ error: String(e) }));
      if (this.svgKey !== key) return;
      this.svg = answer.svg ?? "";
      const box = root.querySelector(".diagram");
      if (!box) return;
      if (!this.svg) { box.textContent = answer.error ?? "no diagram"; this.svgKey = ""; return; }
    }
    const box = root.querySelector<HTMLElement>(".diagram");
    if (!box || !this.svg) return;
    if (box.dataset.key !== this.svgKey) {
      this.place(box, this.svg);
      box.dataset.key = this.svgKey;
    }
    this.activate();
  }

  // The active modes are marked at the time of the cursor or of the tag.
  activate() {
    if (this.current !== "Diagram" && this.current !== "Instant") return;
    const modes = this.host.modesAt(), box = this.root.querySelector<HTMLElement>(".diagram");
    if (!box) return;
    const kind = this.kind || this.likelyKind();
    if (this.current === "Diagram" && kind === "bonds" && this.svgKey && JSON.stringify(JSON.parse(this.svgKey)[2]) !== JSON.stringify(modes)) { void this.diagram(this.root); return; }
    if (this.current === "Diagram" && kind === "schematic") { this.nameModes(box, modes); return; }
    const frames = machineFrames(box, Object.keys(modes));
    for (const text of box.querySelectorAll("text")) {
      const [name, x, y] = [text.textContent?.trim().split(" : ")[0] ?? "", Number(text.getAttribute("x")), Number(text.getAttribute("y"))];
      const machine = frames.find((f) => x >= f.left && x <= f.right && y >= f.top && y <= f.bottom)?.machine ?? "";
      const on = text.previousElementSibling?.tagName === "path" && modes[machine] === name;
      text.classList.toggle("active", on);
      text.previousElementSibling?.classList.toggle("active-shape", on);
    }
  }

  // In a schematic a part that has modes says which it is in.
  private nameModes(box: HTMLElement, modes: Record<string, string>) {
    for (const text of box.querySelectorAll<SVGTextElement>("text")) {
      const name = (text.dataset.name ??= text.textContent?.trim() ?? ""), machine = Object.keys(modes).find((m) => m === name || m.startsWith(name + "."));
      const mode = machine && name ? modes[machine] : "";
      const above = text.getAttribute("text-anchor") === "middle";  // of its symbol: no room below
      text.textContent = mode && above ? `${name}: ${mode}` : name;
      text.classList.toggle("active", mode !== "");
      if (!mode || above) continue;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "tspan");  // below its name
      line.setAttribute("x", text.getAttribute("x") ?? "0");
      line.setAttribute("dy", "1.15em");
      line.textContent = mode;
      text.append(line);
    }
  }

  // ---- reports

  private async explain(root: HTMLElement) {
    const pre = element("pre", "", "…"), key = JSON.stringify(this.host.question());
    root.append(pre);
    const answer = await ask<any>("explain", this.host.question()).catch((e) => ({ text: String(e) }));
    if (!pre.isConnected) return;
    if (answer.limits) {
      this.explained = { key, limits: answer.limits };
      this.host.limits(answer.limits);
      root.prepend(element("p", "faint", "The band above the first plot shows which state kept the steps short, and when; its strokes have as many steps between each other."));
    }
    pre.textContent = answer.text ?? answer.error ?? answer.diagnostics?.map((d: any) => d.message).join("\n");
  }

  private async prove(root: HTMLElement) {
    const pre = element("pre", "", "looking for a state from which reactions go on for ever …");
    root.append(pre);
    const answer = await ask<any>("prove", this.host.question()).catch((e) => ({ error: String(e) }));
    if (this.current !== "Prove") return;
    pre.textContent = answer.error ?? answer.text;
    if (answer.replay) {
      const button = element("button", "", "Replay the witness");
      button.addEventListener("click", () => this.host.replay(answer.replay.replace(/^import .*\n\n?/m, "")));
      root.prepend(button);
    }
  }

  // What each example is about: the sentence that it begins with.
  private readonly about = new Map<string, string>();
  private async describe() {
    await Promise.all(this.examples!.filter((p) => !this.about.has(p)).map(async (path) => {
      const text: string = (await ask<any>("example", { path }).catch(() => ({}))).text ?? "";
      const begun = text.match(/^(?:\/\/[^\n]*\n)+/)?.[0].replace(/^\/\/ ?/gm, "").replace(/\s+/g, " ").trim() ?? text.match(/^model\s+\w+\s+"([^"]*)"/m)?.[1] ?? "";
      this.about.set(path, (begun.match(/^.*?[.:](?=\s|$)/)?.[0] ?? begun).slice(0, 140));
    }));
  }

  private async gallery(root: HTMLElement) {
    this.examples ??= (await ask<any>("examples")).files as string[];
    const find = element("input"), grid = element("div", "gallery");
    find.type = "search";
    find.placeholder = "find an example";
    find.setAttribute("aria-label", "find an example");
    const fill = () => {
      const wanted = find.value.toLowerCase();
      grid.replaceChildren();
      for (const path of this.examples!.filter((p) => (p + " " + (this.about.get(p) ?? "")).toLowerCase().includes(wanted))) {
        const button = element("button"), name = path.replace(/\/model\.kai$/, "").replace(/\.kai$/, "");
        button.title = "open a copy";
        button.dataset.name = name;
        button.append(element("strong", "", name), element("span", "faint", this.about.get(path) ?? ""));
        button.addEventListener("click", () => void this.host.openCopy(path));
        grid.append(button);
      }
    };
    void this.describe().then(() => { if (grid.isConnected) fill(); });
    find.addEventListener("input", fill);
    root.append(find, " ", element("span", "faint", "A copy is opened in your folder."), grid);
    fill();
  }
}
