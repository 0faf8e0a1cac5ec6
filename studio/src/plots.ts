// Panels of curves on canvases, with one time axis for all. Rows come whole; what lies in one column of pixels is drawn from its
// least to its greatest value, so that nothing is lost however many rows there are.
import { format, type Column, type Fired, type Limit, type Panel, type Result, type Run } from "./ask";

const LEFT = 62, RIGHT = 12, TOP = 20, BOTTOM = 22, BAND = 18, HEIGHT = 168;
const COLOURS = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5"];

export interface Instant { t: number; from: number; to: number; labels: string[]; fired: Fired[] }  // rows from … to of the first run

// The first index with t[index] >= x.
export function lowerBound(t: Float64Array, x: number): number {
  let low = 0, high = t.length;
  while (low < high) { const middle = (low + high) >> 1; if (t[middle] < x) low = middle + 1; else high = middle; }
  return low;
}

// Least and greatest of blocks of rows, kept with the rows: whoever looks at a million of them again looks at these.
const BLOCK = 32;
const kept = new WeakMap<Float64Array, { low: Float64Array; high: Float64Array }>();
function blocksOf(values: Float64Array) {
  let blocks = kept.get(values);
  if (blocks) return blocks;
  const count = Math.ceil(values.length / BLOCK);
  blocks = { low: new Float64Array(count).fill(Infinity), high: new Float64Array(count).fill(-Infinity) };
  for (let i = 0, b = 0; i < values.length; i++) {
    b = (i / BLOCK) | 0;
    const v = values[i];
    if (v < blocks.low[b] && v > -Infinity) blocks.low[b] = v;
    if (v > blocks.high[b] && v < Infinity) blocks.high[b] = v;
  }
  kept.set(values, blocks);
  return blocks;
}
// Of the rows from … to - 1 that are numbers; [Infinity, -Infinity]: none is.
export function extremes(values: Float64Array, from: number, to: number): [number, number] {
  let low = Infinity, high = -Infinity, i = from;
  const take = (end: number) => { for (; i < end; i++) { const v = values[i]; if (v < low && v > -Infinity) low = v; if (v > high && v < Infinity) high = v; } };
  if (to - from > 2 * BLOCK) {
    const { low: lows, high: highs } = blocksOf(values);
    take(Math.ceil(from / BLOCK) * BLOCK);
    for (; i + BLOCK <= to; i += BLOCK) { const b = i / BLOCK; if (lows[b] < low) low = lows[b]; if (highs[b] > high) high = highs[b]; }
  }
  take(to);
  return [low, high];
}

export function instantsOf(run: Run): Instant[] {
  const list: Instant[] = [];
  const fired = new Map<number, Fired[]>();
  for (const f of run.fired) (fired.get(f.t) ?? fired.set(f.t, []).get(f.t)!).push(f);
  for (let i = 0; i < run.t.length; i++) {
    // One row, if something fired that changes nothing.
    if (run.t[i] !== run.t[i + 1] && !fired.has(run.t[i])) continue;
    const from = i;
    while (i + 1 < run.t.length && run.t[i + 1] === run.t[from]) i++;
    const what = fired.get(run.t[from]) ?? [];
    list.push({ t: run.t[from], from, to: i, fired: what, labels: what.map((f) => f.text) });
  }
  return list;
}

function niceStep(span: number, count: number): number {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough)), digit = rough / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}
function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const step = niceStep(high - low, count), out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && out.length < 30; i++) out.push(i * step);
  return out;
}
function tickText(value: number, step: number): string {
  const size = Math.abs(value);
  if (value === 0 || size < step * 1e-6) return "0";
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, Math.min(4, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step))))).replace("-", "−");
  return value.toFixed(Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)))).replace("-", "−");
}

interface Scale { x(v: number): number; y(v: number): number; low: number; high: number; x0: number; x1: number }

export class Plots {
  result: Result | null = null;
  ghost: Result | null = null;
  instants: Instant[] = [];
  selected: Instant | null = null;
  tag = 0;
  private view: [number, number] | null = null;  // times shown; null: all
  logTime = false;
  private readonly logs = new Set<string>();  // panels, by their signals, whose values are on a logarithmic axis
  private pin: number | null = null;          // a time that the cursor is compared with
  private boxes: { panel: number; signal: string; left: number; right: number; bottom: number }[] = [];  // names in the legends
  private carried: { signal: string; from: number; label: HTMLElement | null; x: number; y: number } | null = null;
  private limits: Limit[] = [];  // which states kept steps short, over time
  private canvases: HTMLCanvasElement[] = [];
  private cursor: number | null = null;
  private scheduled = false;
  private bands: { column: number; name: string }[] = [];
  drawn = 0;  // milliseconds of the last frame

  constructor(readonly root: HTMLElement, private readonly pick: (instant: Instant | null, tag: number) => void, private readonly moved: (t: number | null) => void, private readonly drop: (signal: string, panel: number | null, from: number | null, over: boolean) => void) {
    new ResizeObserver(() => this.redraw()).observe(root);
    root.addEventListener("keydown", (event) => this.key(event));
  }

  show(result: Result, ghost: Result | null) {
    const keep = this.selected?.t, number = this.selected && this.instants.indexOf(this.selected);
    this.result = result;
    this.ghost = ghost;
    this.limits = [];  // of another run
    this.instants = result.runs[0] ? instantsOf(result.runs[0]) : [];
    this.bands = result.columns.map((c, column) => ({ column, name: c.name, kind: c.kind })).filter((c) => c.kind === "mode").slice(0, 4);
    if (keep !== undefined) {
      // The same instant of the new run: as many came before it.
      this.selected = this.instants.find((i) => i.t === keep) ?? (number !== null ? this.instants[number] ?? null : null);
      this.pick(this.selected, this.tag);
    }
    this.makeCanvases();
    result.panels.forEach((panel, k) => {
      panel.log = this.logs.has(panel.signals.join());
      this.canvases[k].setAttribute("role", "img");
      this.canvases[k].setAttribute("aria-label", `${panel.signals.join(", ")} over ${panel.against ?? "time"}, ${this.instants.length} instants`);
    });
    this.redraw();
  }

  private makeCanvases() {
    const wanted = this.result!.panels.length;
    while (this.canvases.length > wanted) this.canvases.pop()!.remove();
    while (this.canvases.length < wanted) {
      const canvas = document.createElement("canvas");
      this.canvases.push(canvas);
      this.root.append(canvas);
      this.listen(canvas, this.canvases.length - 1);
    }
  }

  range(): [number, number] {
    if (this.view) return this.view;
    const runs = this.result?.runs ?? [];
    let low = Infinity, high = -Infinity;
    for (const run of runs) if (run.t.length) { low = Math.min(low, run.t[0]); high = Math.max(high, run.t[run.t.length - 1]); }
    if (this.logTime && high > 0) {
      for (const run of runs) { const first = run.t[lowerBound(run.t, Number.MIN_VALUE)]; if (first > 0 && !(low > 0 && low <= first)) low = first; }
      return [Math.min(low, high / 10), high];
    }
    return low < high ? [low, high] : low === high ? [low - 0.5, low + 0.5] : [0, 1];
  }

  reset() { this.view = null; this.redraw(); }
  // Another file: nothing of what was chosen for the last one holds.
  forget() { for (const canvas of this.canvases.splice(0)) canvas.remove(); this.result = this.ghost = null; this.instants = []; this.logs.clear(); this.logTime = false; this.pin = null; this.limits = []; this.select(null); this.reset(); }

  // Times as they lie on the axis, and back.
  private place(t: number): number { return this.logTime ? Math.log10(Math.max(t, 1e-300)) : t; }
  private time(place: number): number { return this.logTime ? 10 ** place : place; }

  zoom(at: number, factor: number) {
    const [low, high] = this.range(), middle = this.place(at), a = this.place(low), b = this.place(high);
    this.view = [this.time(middle - (middle - a) * factor), this.time(middle + (b - middle) * factor)];
    if (this.view[1] - this.view[0] < Math.max(Math.abs(at) * 1e-13, 1e-15)) this.view = [low, high];
    this.redraw();
  }
  // By a part of what is shown.
  private shift(from: [number, number], part: number) {
    const a = this.place(from[0]), b = this.place(from[1]), by = part * (b - a);
    this.view = [this.time(a + by), this.time(b + by)];
    this.redraw();
  }
  pan(by: number) {
    const [low, high] = this.range();
    this.view = [low + by, high + by];
    this.redraw();
  }

  // ---- what the hand does

  private timeAt(canvas: HTMLCanvasElement, clientX: number): number {
    const box = canvas.getBoundingClientRect(), [low, high] = this.range();
    return this.time(this.place(low) + ((clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)) * (this.place(high) - this.place(low)));
  }

  private listen(canvas: HTMLCanvasElement, index: number) {
    const against = () => this.result?.panels[index]?.against !== undefined;
    let drag: { x: number; view: [number, number]; moved: boolean } | null = null;
    const fingers = new Map<number, number>();  // x of each that touches
    let spread = 0;
    canvas.addEventListener("wheel", (event) => {
      if (against() || (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && document.activeElement !== this.root && !this.root.contains(document.activeElement))) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.shift(this.range(), (event.deltaX || event.deltaY) / 800);
      else this.zoom(this.timeAt(canvas, event.clientX), Math.exp(event.deltaY / 400));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.root.focus({ preventScroll: true });
      const name = this.nameAt(canvas, index, event);
      if (name) { this.carried = { signal: name, from: index, label: null, x: event.clientX, y: event.clientY }; canvas.setPointerCapture(event.pointerId); return; }
      if (against()) return;
      drag = { x: event.clientX, view: this.range(), moved: false };
      fingers.set(event.pointerId, event.clientX);
      spread = 0;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.carried) { this.carry(event); return; }
      canvas.style.cursor = this.nameAt(canvas, index, event) ? "grab" : "";
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event.clientX);
      if (fingers.size === 2) {  // two fingers: zoom
        const [a, b] = [...fingers.values()], now = Math.max(20, Math.abs(a - b));
        if (spread) this.zoom(this.timeAt(canvas, (a + b) / 2), spread / now);
        spread = now;
        drag = null;
        return;
      }
      if (drag && Math.abs(event.clientX - drag.x) > 4) drag.moved = true;
      if (drag?.moved) {
        this.shift(drag.view, (drag.x - event.clientX) / (canvas.clientWidth - LEFT - RIGHT));
      }
      this.cursor = against() ? null : this.timeAt(canvas, event.clientX);
      this.moved(this.cursor);
      this.redraw();
    });
    canvas.addEventListener("pointercancel", (event) => { fingers.delete(event.pointerId); drag = null; this.carried?.label?.remove(); this.carried = null; });
    canvas.addEventListener("pointerup", (event) => {
      if (this.carried) { this.put(event); return; }
      fingers.delete(event.pointerId);
      const click = drag && !drag.moved, left = event.clientX - canvas.getBoundingClientRect().left;
      drag = null;
      if (click && left < LEFT - 4) this.toggleLog(index);
      else if (click && event.shiftKey) { this.pin = this.pin === null ? this.timeAt(canvas, event.clientX) : null; this.redraw(); }
      else if (click) this.click(canvas, event.clientX);
    });
    canvas.addEventListener("pointerleave", () => { this.cursor = null; this.moved(null); this.redraw(); });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("dragover", (event) => event.preventDefault());
    canvas.addEventListener("drop", (event) => { event.preventDefault(); this.drop(event.dataTransfer!.getData("text/plain"), index, null, this.onAxis(canvas, event)); });
  }

  // ---- signals are carried from panel to panel by their names; on a time axis they become that axis

  private nameAt(canvas: HTMLCanvasElement, panel: number, event: PointerEvent): string | null {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    return this.boxes.find((b) => b.panel === panel && x >= b.left && x <= b.right && y <= b.bottom && y >= b.bottom - 18)?.signal ?? null;
  }
  private onAxis(canvas: HTMLCanvasElement, event: MouseEvent): boolean { return canvas.getBoundingClientRect().bottom - event.clientY < BOTTOM; }

  private carry(event: PointerEvent) {
    const carried = this.carried!;
    if (!carried.label) {
      if (Math.hypot(event.clientX - carried.x, event.clientY - carried.y) < 5) return;
      carried.label = document.createElement("div");
      carried.label.className = "carried";
      document.body.append(carried.label);
    }
    const { label } = carried, over = document.elementFromPoint(event.clientX, event.clientY), panel = this.canvases.indexOf(over as HTMLCanvasElement);
    label.textContent = carried.signal + (panel < 0 ? ": a panel of its own" : this.onAxis(this.canvases[panel], event) ? ": as the axis" : "");
    label.style.left = event.clientX + 10 + "px";
    label.style.top = event.clientY + 8 + "px";
  }

  private put(event: PointerEvent) {
    const { signal, from, label } = this.carried!, panel = this.canvases.indexOf(document.elementFromPoint(event.clientX, event.clientY) as HTMLCanvasElement);
    this.carried = null;
    if (!label) return;
    label.remove();
    if (panel < 0) this.drop(signal, null, from, false);
    else if (this.onAxis(this.canvases[panel], event)) this.drop(signal, panel, null, true);
    else if (panel !== from) this.drop(signal, panel, from, false);
  }

  toggleLog(index: number) {
    const panel = this.result?.panels[index];
    if (!panel) return;
    const key = panel.signals.join();
    if (!this.logs.delete(key)) this.logs.add(key);
    panel.log = this.logs.has(key);
    this.redraw();
  }
  showLimits(list: Limit[]) { this.limits = list; this.redraw(); }
  toggleLogTime() { this.logTime = !this.logTime; this.view = null; this.redraw(); }

  private click(canvas: HTMLCanvasElement, clientX: number) {
    const near = this.near(this.timeAt(canvas, clientX), 9, canvas.clientWidth);
    this.select(near, near && near === this.selected ? this.tag : 0);
  }

  private near(t: number, pixels: number, width: number): Instant | null {
    const [low, high] = this.range(), reach = (pixels / (width - LEFT - RIGHT)) * (this.place(high) - this.place(low)), here = this.place(t);
    let best: Instant | null = null, away = Infinity;
    for (const i of this.instants) {
      const far = Math.abs(this.place(i.t) - here);
      if (far <= reach && far < away) { best = i; away = far; }
    }
    return best;
  }

  select(instant: Instant | null, tag = 0) {
    this.selected = instant;
    this.tag = instant ? Math.max(0, Math.min(tag, instant.to - instant.from)) : 0;
    if (instant) {
      const [low, high] = this.range();
      if (instant.t < low || instant.t > high) this.pan(instant.t - (low + high) / 2);
    }
    this.pick(instant, this.tag);
    this.redraw();
  }

  private key(event: KeyboardEvent) {
    const count = this.instants.length, [low, high] = this.range();
    const at = this.selected ? this.instants.indexOf(this.selected) : -1;
    const step = (by: number) => {
      if (!count) return;
      if (at < 0) { const first = this.instants.findIndex((i) => i.t >= low); this.select(this.instants[first < 0 ? 0 : first]); return; }
      this.select(this.instants[Math.max(0, Math.min(count - 1, at + by))]);
    };
    const tag = (by: number) => {
      if (!this.selected) return;
      const next = this.tag + by, last = this.selected.to - this.selected.from;
      if (next < 0 && at > 0) this.select(this.instants[at - 1], Infinity);
      else if (next > last && at + 1 < count) this.select(this.instants[at + 1], 0);
      else this.select(this.selected, next);
    };
    const keys: Record<string, () => void> = {
      ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => tag(1), ArrowUp: () => tag(-1), Escape: () => this.select(null),
      "+": () => this.zoom(this.selected?.t ?? (low + high) / 2, 0.6), "-": () => this.zoom(this.selected?.t ?? (low + high) / 2, 1 / 0.6), "0": () => this.reset(),
      l: () => this.result?.panels.forEach((_, k) => this.toggleLog(k)), t: () => this.toggleLogTime(),
      c: () => { this.pin = this.pin === null ? this.cursor ?? this.selected?.t ?? null : null; this.redraw(); },
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  // ---- drawing

  redraw() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const begun = performance.now();
      this.boxes = [];
      this.result?.panels.forEach((panel, index) => this.draw(this.canvases[index], panel, index));
      this.drawn = performance.now() - begun;
    });
  }

  private draw(canvas: HTMLCanvasElement, panel: Panel, index: number) {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    const bands = index === 0 ? (this.bands.length + (this.limits.length ? 1 : 0)) * BAND : 0, height = (panel.against !== undefined ? 1.6 * HEIGHT : HEIGHT) + bands;
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = height + "px";
    }
    const g = canvas.getContext("2d")!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "12px system-ui, sans-serif";
    const style = getComputedStyle(document.documentElement), colour = (name: string) => style.getPropertyValue(name).trim();
    const columns = panel.signals.map((name) => this.result!.columns.findIndex((c) => c.name === name)).filter((c) => c >= 0);
    const scale = panel.against !== undefined ? this.phaseScale(panel, columns, width, height) : this.timeScale(panel, columns, width, height, TOP + bands);
    this.axes(g, scale, panel, width, height, TOP + bands, colour);
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP + bands - 4, width - LEFT - RIGHT, height - TOP - bands - BOTTOM + 8);
    g.clip();
    if (panel.against !== undefined) this.phase(g, panel, columns, scale, colour);
    else {
      const old = this.ghost?.runs[0];
      if (old) columns.forEach((column, k) => {
        const same = this.ghost!.columns.findIndex((c) => c.name === this.result!.columns[column].name);
        if (same >= 0) { g.globalAlpha = 0.28; this.curve(g, old, old.values[same], this.result!.columns[column], scale, colour(COLOURS[k % COLOURS.length]), true); g.globalAlpha = 1; }
      });
      this.result!.runs.forEach((run, r) => columns.forEach((column, k) => {
        g.globalAlpha = r === 0 ? 1 : 0.65;
        this.curve(g, run, run.values[column], this.result!.columns[column], scale, colour(COLOURS[(k + r) % COLOURS.length]), false);
      }));
      g.globalAlpha = 1;
      columns.forEach((column, k) => this.impulses(g, column, scale, colour(COLOURS[k % COLOURS.length])));
    }
    g.restore();
    if (panel.against === undefined) {
      this.marks(g, scale, height, colour);
      if (bands) { this.modes(g, scale, width, colour); this.limiting(g, scale, this.bands.length * BAND + 3, colour); }
      if (this.selected) this.unfold(g, this.selected, columns, scale, height, TOP + bands, width, colour);
      this.crosshair(g, scale, height, TOP + bands, colour);
    }
    this.legend(g, panel, index, columns, scale, bands, width, colour);
  }

  private timeScale(panel: Panel, columns: number[], width: number, height: number, top: number): Scale {
    const [x0, x1] = this.range();
    let low = Infinity, high = -Infinity;
    const look = (run: Run, values: Float64Array) => {
      const from = Math.max(0, lowerBound(run.t, x0) - 1), to = Math.min(run.t.length, lowerBound(run.t, x1) + 2);
      const [least, most] = extremes(values, from, to);
      if (most > high) high = most;
      if (!panel.log || least > 0) { if (least < low) low = least; }
      else for (let i = from; i < to; i++) { const v = values[i]; if (v < low && v > 0) low = v; }
    };
    for (const run of this.result!.runs) for (const c of columns) look(run, run.values[c]);
    const old = this.ghost?.runs[0];
    if (old) for (const c of columns) { const same = this.ghost!.columns.findIndex((o) => o.name === this.result!.columns[c].name); if (same >= 0) look(old, old.values[same]); }
    if (!(low <= high)) { low = 0; high = 1; }
    if (low === high) { const pad = Math.abs(low) * 0.1 || 1; low -= pad; high += pad; }
    const bottom = height - BOTTOM, inner = width - LEFT - RIGHT;
    const first = this.place(x0), span = this.place(x1) - first, log = this.logTime;
    const x = log ? (v: number) => LEFT + ((this.place(v) - first) / span) * inner : (v: number) => LEFT + ((v - x0) / (x1 - x0)) * inner;
    if (panel.log && low > 0) {
      const a = Math.log(low), b = Math.log(high), pad = (b - a) * 0.05;
      return { x, y: (v) => bottom - ((Math.log(Math.max(v, 1e-300)) - a + pad) / (b - a + 2 * pad)) * (bottom - top), low, high, x0, x1 };
    }
    const pad = (high - low) * 0.06;
    low -= pad; high += pad;
    return { x, y: (v) => bottom - ((v - low) / (high - low)) * (bottom - top), low, high, x0, x1 };
  }

  private axes(g: CanvasRenderingContext2D, s: Scale, panel: Panel, width: number, height: number, top: number, colour: (n: string) => string) {
    g.strokeStyle = colour("--line");
    g.fillStyle = colour("--faint");
    g.lineWidth = 1;
    g.textAlign = "center";
    const logX = this.logTime && panel.against === undefined;
    const xs = logX ? logTicks(s.x0, s.x1).filter((v) => v >= s.x0) : ticks(s.x0, s.x1, Math.max(2, width / 110)), xstep = niceStep(s.x1 - s.x0, Math.max(2, width / 110));
    for (const v of xs) {
      const x = Math.round(s.x(v)) + 0.5;
      g.beginPath(); g.moveTo(x, top); g.lineTo(x, height - BOTTOM); g.stroke();
      const label = logX ? format(v, 3) : tickText(v, xstep), half = g.measureText(label).width / 2;
      g.fillText(label, Math.min(x, width - half - 2), height - 7);
    }
    g.textAlign = "right";
    const ys = panel.log && s.low > 0 ? logTicks(s.low, s.high) : ticks(s.low, s.high, 4), ystep = niceStep(s.high - s.low, 4);
    for (const v of ys) {
      const y = Math.round(s.y(v)) + 0.5;
      if (y < top - 2 || y > height - BOTTOM + 2) continue;
      g.beginPath(); g.moveTo(LEFT, y); g.lineTo(width - RIGHT, y); g.stroke();
      g.fillText(panel.log ? format(v, 3) : tickText(v, ystep), LEFT - 6, y + 4);
    }
  }

  private curve(g: CanvasRenderingContext2D, run: Run, values: Float64Array, column: Column, s: Scale, colour: string, ghost: boolean) {
    const t = run.t, from = Math.max(0, lowerBound(t, s.x0) - 1), to = Math.min(t.length, lowerBound(t, s.x1) + 1);
    // All rows of an instant at the right edge too.
    let end = to;
    while (end < t.length && end > 0 && t[end] === t[end - 1]) end++;
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = ghost ? 1.2 : 1.6;
    if (column.kind === "event") { this.points(g, t, values, from, end, s); return; }
    const inner = s.x(s.x1) - s.x(s.x0);
    if (end - from > 4 * inner) { this.dense(g, t, values, from, end, s); return; }
    const jumps: [number, number, number][] = [];
    g.beginPath();
    let pen = false;
    for (let i = from; i < end; i++) {
      const v = values[i];
      if (v !== v || !Number.isFinite(v)) { pen = false; continue; }
      const x = s.x(t[i]), y = s.y(v);
      if (pen && t[i] === t[i - 1] && v !== values[i - 1]) { jumps.push([x, s.y(values[i - 1]), y]); g.moveTo(x, y); }
      else if (pen) g.lineTo(x, y);
      else g.moveTo(x, y);
      pen = true;
    }
    g.stroke();
    if (ghost || jumps.length > 400) return;
    g.lineWidth = 1;
    g.setLineDash([2, 3]);
    g.beginPath();
    for (const [x, a, b] of jumps) { g.moveTo(x, a); g.lineTo(x, b); }
    g.stroke();
    g.setLineDash([]);
    if (jumps.length > 120) return;
    for (const [x, a, b] of jumps) {
      if (Math.abs(a - b) < 3) continue;
      g.beginPath(); g.arc(x, b, 2.4, 0, 7); g.fill();
      g.save(); g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper"); g.beginPath(); g.arc(x, a, 2.4, 0, 7); g.fill(); g.restore(); g.stroke();
    }
  }

  // A line from the least to the greatest value in every column of pixels; the last value of one belongs to the next.
  private dense(g: CanvasRenderingContext2D, t: Float64Array, values: Float64Array, from: number, to: number, s: Scale) {
    g.lineWidth = 1;
    g.beginPath();
    const first = this.place(s.x0), span = this.place(s.x1) - first, left = s.x(s.x0), inner = s.x(s.x1) - left;
    const begin = Math.floor(Math.max(left, s.x(t[from]))), end = Math.ceil(Math.min(left + inner, s.x(t[to - 1])));
    let i = from;
    for (let x = begin; x <= end; x++) {
      const until = Math.min(to, lowerBound(t, this.time(first + ((x + 1 - left) / inner) * span)));
      const [low, high] = extremes(values, Math.max(from, i - 1), x === end ? to : until);
      i = until;
      if (!(low <= high)) continue;
      const top = s.y(high);
      g.moveTo(x + 0.5, top);
      g.lineTo(x + 0.5, Math.max(s.y(low), top + 0.7));
    }
    g.stroke();
  }

  private points(g: CanvasRenderingContext2D, t: Float64Array, values: Float64Array, from: number, to: number, s: Scale) {
    let lastX = NaN, lastY = NaN;
    for (let i = from; i < to; i++) {
      if (values[i] !== values[i]) continue;
      const x = s.x(t[i]), y = s.y(values[i]);
      if (Math.abs(x - lastX) < 0.7 && Math.abs(y - lastY) < 0.7) continue;
      g.beginPath(); g.arc(x, y, 3, 0, 7); g.fill();
      lastX = x; lastY = y;
    }
  }

  // Impulses: arrows, with their weight.
  private impulses(g: CanvasRenderingContext2D, column: number, s: Scale, colour: string) {
    const name = this.result!.columns[column].name, run = this.result!.runs[0];
    if (!run) return;
    this.result!.columns.forEach((c, k) => {
      if (!c.impulse || c.name.replace(/\.impulse\d*$/, "") !== name) return;
      const base = s.y(Math.min(Math.max(0, s.low), s.high)), values = run.values[k];
      let labelled = -Infinity;
      g.strokeStyle = g.fillStyle = colour;
      g.lineWidth = 2;
      for (let i = Math.max(0, lowerBound(run.t, s.x0)); i < run.t.length && run.t[i] <= s.x1; i++) {
        const w = values[i];
        if (!w || w !== w) continue;
        const x = s.x(run.t[i]), up = w > 0 ? -1 : 1, tip = base + up * 46;
        g.beginPath(); g.moveTo(x, base); g.lineTo(x, tip); g.stroke();
        g.beginPath(); g.moveTo(x, tip + up * 7); g.lineTo(x - 4, tip); g.lineTo(x + 4, tip); g.fill();
        if (x - labelled > 60) { g.textAlign = "left"; g.fillText(format(w, 3) + (c.impulse > 1 ? " δ′" : " δ"), x + 6, tip + 4); labelled = x; }
      }
    });
  }

  // Instants, on the time axis: what can be clicked.
  private marks(g: CanvasRenderingContext2D, s: Scale, height: number, colour: (n: string) => string) {
    g.fillStyle = colour("--accent");
    let last = -Infinity;
    for (const i of this.instants) {
      if (i.t < s.x0 || i.t > s.x1) continue;
      const x = s.x(i.t);
      if (x - last < 1) continue;
      g.beginPath(); g.moveTo(x, height - BOTTOM - 5); g.lineTo(x - 3.5, height - BOTTOM + 2); g.lineTo(x + 3.5, height - BOTTOM + 2); g.fill();
      last = x;
    }
  }

  private modes(g: CanvasRenderingContext2D, s: Scale, width: number, colour: (n: string) => string) {
    const run = this.result!.runs[0];
    if (!run) return;
    this.bands.forEach(({ column, name }, row) => {
      const values = run.values[column], names = this.result!.columns[column].modes ?? [], y = 3 + row * BAND;
      let begun = run.t[0], mode = values[0];
      const put = (until: number) => {
        const a = Math.max(s.x(Math.max(begun, s.x0)), LEFT), b = s.x(Math.min(until, s.x1));
        if (mode !== mode) return;
        if (!(b > a)) {  // a mode that is left at the time it is entered
          if (until === begun && a <= width) { g.fillStyle = colour("--accent"); g.fillRect(a - 1, y, 2, BAND - 3); }
          return;
        }
        g.fillStyle = colour(`--band${mode % 5}`);
        g.fillRect(a, y, b - a, BAND - 3);
        const label = names[mode] ?? String(mode);
        if (b - a > g.measureText(label).width + 6) { g.fillStyle = colour("--ink"); g.textAlign = "left"; g.fillText(label, a + 4, y + 11.5); }
      };
      for (let i = 1; i < run.t.length; i++) if (values[i] !== mode && values[i] === values[i]) { put(run.t[i]); begun = run.t[i]; mode = values[i]; }
      put(run.t[run.t.length - 1]);
      g.fillStyle = colour("--faint");
      g.textAlign = "right";
      const label = name.replace(/\.?mode$/, "") || "mode";
      g.fillText(label.length > 9 ? "…" + label.slice(-8) : label, LEFT - 6, y + 12);
    });
  }

  // Where steps were kept short, and by which state: a stretch has as many steps as any other, so lines are dense where steps are short.
  private limiting(g: CanvasRenderingContext2D, s: Scale, y: number, colour: (n: string) => string) {
    if (!this.limits.length) return;
    const names = [...new Set(this.limits.map((l) => l.state ?? ""))].filter(Boolean);
    let begun = 0, state = this.limits[0].state ?? "", until = -Infinity;
    const put = (to: number) => {
      const a = Math.max(LEFT, s.x(Math.max(this.limits[begun].from, s.x0))), b = Math.min(s.x(s.x1), s.x(this.limits[to].to));
      if (!(b > a)) return;
      g.fillStyle = state ? colour(`--band${names.indexOf(state) % 5}`) : colour("--ground");
      g.fillRect(a, y, b - a, BAND - 3);
      if (state && b - a > g.measureText(state).width + 6 && a > until) { g.fillStyle = colour("--ink"); g.textAlign = "left"; g.fillText(state, a + 4, y + 11.5); until = b; }
    };
    for (let i = 1; i < this.limits.length; i++) if ((this.limits[i].state ?? "") !== state) { put(i - 1); begun = i; state = this.limits[i].state ?? ""; }
    put(this.limits.length - 1);
    g.strokeStyle = colour("--faint");
    g.lineWidth = 0.6;
    g.beginPath();
    for (const l of this.limits) if (l.to >= s.x0 && l.to <= s.x1) { const x = s.x(l.to); g.moveTo(x, y + BAND - 7); g.lineTo(x, y + BAND - 3); }
    g.stroke();
    g.fillStyle = colour("--faint");
    g.textAlign = "right";
    g.fillText("steps", LEFT - 6, y + 12);
  }

  // The instant in place: a column for each of its tags, values as steps.
  private unfold(g: CanvasRenderingContext2D, i: Instant, columns: number[], s: Scale, height: number, top: number, width: number, colour: (n: string) => string) {
    const run = this.result!.runs[0], count = Math.min(i.to - i.from + 1, 14), each = Math.min(46, Math.max(22, (width - LEFT - RIGHT) / count / 1.5));
    const first = Math.max(0, Math.min(i.to - i.from + 1 - count, this.tag - (count >> 1)));
    const total = each * count, x = s.x(i.t);
    const left = Math.max(LEFT, Math.min(width - RIGHT - total, x - total / 2));
    g.fillStyle = colour("--paper");
    g.fillRect(left, height - BOTTOM, total, BOTTOM - 2);
    g.globalAlpha = 0.95;
    g.fillRect(left, top - 2, total, height - BOTTOM - top + 2);
    g.globalAlpha = 1;
    g.fillStyle = colour("--accent");
    g.globalAlpha = 0.16;
    g.fillRect(left + (this.tag - first) * each, top - 2, each, height - BOTTOM - top + 2);
    g.globalAlpha = 1;
    g.strokeStyle = colour("--accent");
    g.lineWidth = 1;
    g.strokeRect(left + 0.5, top - 1.5, total - 1, height - BOTTOM - top + 1);
    g.font = "10px system-ui, sans-serif";
    g.textAlign = "center";
    for (let k = 0; k < count; k++) {
      g.fillStyle = colour("--faint");
      g.fillText(`⟨${run.p[i.from + first + k]},${run.m[i.from + first + k]}⟩`.replace("-", "−"), left + (k + 0.5) * each, height - BOTTOM + 12);
      if (k) { g.globalAlpha = 0.3; g.beginPath(); g.moveTo(left + k * each, top); g.lineTo(left + k * each, height - BOTTOM); g.stroke(); g.globalAlpha = 1; }
    }
    columns.forEach((column, n) => {
      g.strokeStyle = g.fillStyle = colour(COLOURS[n % COLOURS.length]);
      g.lineWidth = 2;
      g.beginPath();
      for (let k = 0; k < count; k++) {
        const v = run.values[column][i.from + first + k];
        if (v !== v) continue;
        const y = s.y(v);
        if (this.result!.columns[column].kind === "event") { g.moveTo(left + (k + 0.5) * each + 3, y); g.arc(left + (k + 0.5) * each, y, 3, 0, 7); continue; }
        if (k && run.values[column][i.from + first + k - 1] === run.values[column][i.from + first + k - 1]) g.lineTo(left + k * each, y); else g.moveTo(left + k * each, y);
        g.lineTo(left + (k + 1) * each, y);
      }
      g.stroke();
      for (let k = 0; k < count; k++) {
        const v = run.values[column][i.from + first + k], before = run.values[column][i.from + first + k - 1];
        if (v === v && (k === 0 || v !== before) && columns.length < 4) g.fillText(format(v, 3), left + (k + 0.5) * each, s.y(v) - 4 > top + 8 ? s.y(v) - 4 : s.y(v) + 12);
      }
    });
    g.font = "12px system-ui, sans-serif";
  }

  private crosshair(g: CanvasRenderingContext2D, s: Scale, height: number, top: number, colour: (n: string) => string) {
    if (this.pin !== null && this.pin >= s.x0 && this.pin <= s.x1) {
      g.strokeStyle = colour("--accent");
      g.setLineDash([5, 3]);
      g.beginPath(); g.moveTo(s.x(this.pin), top); g.lineTo(s.x(this.pin), height - BOTTOM); g.stroke();
      g.setLineDash([]);
    }
    if (this.cursor === null || this.cursor < s.x0 || this.cursor > s.x1) return;
    const near = this.near(this.cursor, 4, this.root.clientWidth), x = s.x(near?.t ?? this.cursor);
    if (near && near === this.selected) return;  // it is unfolded
    g.strokeStyle = colour("--faint");
    g.lineWidth = 1;
    g.beginPath(); g.moveTo(x, top); g.lineTo(x, height - BOTTOM); g.stroke();
    g.fillStyle = colour("--ink");
    g.textAlign = x > this.root.clientWidth / 2 ? "right" : "left";
    const t = near?.t ?? this.cursor, apart = this.pin !== null ? `  (${format(t - this.pin, 6)} from the mark)` : "";
    g.fillText("t = " + format(t, 7) + apart, x + (x > this.root.clientWidth / 2 ? -5 : 5), top + 10);
  }

  // The values at the cursor: before and after, where something happens there.
  valueAt(run: Run, column: number, t: number, width: number): string {
    const near = run === this.result!.runs[0] ? this.near(t, 4, width) : null, values = run.values[column], info = this.result!.columns[column];
    const text = (v: number) => (info.kind === "mode" ? info.modes?.[v] ?? "·" : format(v, 5));
    if (near) {
      const a = values[near.from], b = values[near.to];
      if (info.kind === "event") { for (let i = near.from; i <= near.to; i++) if (values[i] === values[i]) return text(values[i]); return "·"; }
      return a === b ? text(a) : `${text(a)} → ${text(b)}`;
    }
    const i = lowerBound(run.t, t);
    if (i <= 0 || i >= run.t.length || info.kind === "event") return "·";
    const part = (t - run.t[i - 1]) / (run.t[i] - run.t[i - 1] || 1);
    return text(info.kind === "mode" || info.kind === "bool" ? values[i - 1] : values[i - 1] + part * (values[i] - values[i - 1]));
  }

  private legend(g: CanvasRenderingContext2D, panel: Panel, index: number, columns: number[], s: Scale, bands: number, width: number, colour: (n: string) => string) {
    const names = columns.map((column) => { const info = this.result!.columns[column]; return info.name + (info.unit ? ` [${info.unit}]` : "") + (panel.against !== undefined ? " over " + panel.against : ""); });
    const widths = names.map((name) => g.measureText(name).width + 13), used = widths.reduce((a, b) => a + b, 0);
    // Names stay where they are when values appear beside them.
    const room = Math.max(14, Math.min(this.pin !== null ? 260 : 150, (width - LEFT - RIGHT - used) / Math.max(1, columns.length)));
    let x = LEFT + 2;
    g.textAlign = "left";
    columns.forEach((column, k) => {
      const run = this.result!.runs[0];
      let text = names[k];
      if (panel.against === undefined && this.cursor !== null && run && this.cursor >= s.x0) text += " = " + this.valueAt(run, column, this.cursor, this.root.clientWidth) + (this.pin !== null ? ` (mark: ${this.valueAt(run, column, this.pin, this.root.clientWidth)})` : "");
      g.fillStyle = colour(COLOURS[k % COLOURS.length]);
      g.fillRect(x, bands + 7, 9, 3);
      g.fillText(text, x + 13, bands + 13, Math.max(20, widths[k] - 13 + room - 8));
      this.boxes.push({ panel: index, signal: this.result!.columns[column].name, left: x - 2, right: x + widths[k], bottom: bands + 18 });
      x += widths[k] + room;
    });
    const runs = this.result!.runs;
    if (runs.length > 1 && width - x > 150) { g.fillStyle = colour("--faint"); g.fillText(`${runs.length} of ${this.result!.points} runs: ${runs[0].label} … ${runs[runs.length - 1].label}`, x, bands + 13, Math.max(40, width - x - RIGHT)); }
  }

  // ---- one signal over another

  private phaseScale(panel: Panel, columns: number[], width: number, height: number): Scale {
    const over = this.result!.columns.findIndex((c) => c.name === panel.against);
    const limits = (list: number[]) => {
      let low = Infinity, high = -Infinity;
      for (const run of this.result!.runs) for (const c of list) for (const v of run.values[c] ?? []) { if (v < low) low = v; if (v > high) high = v; }
      const pad = low < high ? (high - low) * 0.06 : Math.abs(low) * 0.1 || 1;
      return low <= high ? [low - pad, high + pad] : [0, 1];
    };
    const [x0, x1] = limits([over]), [low, high] = limits(columns), bottom = height - BOTTOM;
    return { x: (v) => LEFT + ((v - x0) / (x1 - x0)) * (width - LEFT - RIGHT), y: (v) => bottom - ((v - low) / (high - low)) * (bottom - TOP), low, high, x0, x1 };
  }

  private phase(g: CanvasRenderingContext2D, panel: Panel, columns: number[], s: Scale, colour: (n: string) => string) {
    const over = this.result!.columns.findIndex((c) => c.name === panel.against);
    this.result!.runs.forEach((run, r) => columns.forEach((column, k) => {
      const xs = run.values[over], ys = run.values[column];
      if (!xs) return;
      g.strokeStyle = g.fillStyle = colour(COLOURS[(k + r) % COLOURS.length]);
      g.lineWidth = 1.5;
      g.beginPath();
      let pen = false, way = 0;
      const arrows: [number, number, number][] = [], jumps: [number, number, number, number][] = [];
      for (let i = 0; i < run.t.length; i++) {
        if (xs[i] !== xs[i] || ys[i] !== ys[i]) { pen = false; continue; }
        const x = s.x(xs[i]), y = s.y(ys[i]), jump = i > 0 && run.t[i] === run.t[i - 1];
        if (pen && !jump) {
          const dx = x - s.x(xs[i - 1]), dy = y - s.y(ys[i - 1]);
          way += Math.hypot(dx, dy);
          g.lineTo(x, y);
          if (way > 140 && arrows.length < 60) { arrows.push([x, y, Math.atan2(dy, dx)]); way = 0; }
        } else {
          if (pen && jump && jumps.length < 400) jumps.push([s.x(xs[i - 1]), s.y(ys[i - 1]), x, y]);
          g.moveTo(x, y);
        }
        pen = true;
      }
      g.stroke();
      g.setLineDash([2, 3]);
      g.beginPath();
      for (const [x0, y0, x, y] of jumps) { g.moveTo(x0, y0); g.lineTo(x, y); }
      g.stroke();
      g.setLineDash([]);
      const now = this.selected ? this.selected.from + this.tag : this.cursor !== null ? Math.min(lowerBound(run.t, this.cursor), run.t.length - 1) : -1;
      if (r === 0 && now >= 0) { g.beginPath(); g.arc(s.x(xs[now]), s.y(ys[now]), 4.5, 0, 7); g.fill(); }  // where it is at the cursor
      for (const [x, y, angle] of arrows) {  // where it goes
        g.save(); g.translate(x, y); g.rotate(angle); g.beginPath(); g.moveTo(5, 0); g.lineTo(-4, -4); g.lineTo(-4, 4); g.fill(); g.restore();
      }
    }));
  }
}

function logTicks(low: number, high: number): number[] {
  const out = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) out.push(10 ** e);
  return out.length > 8 ? out.filter((_, i) => i % Math.ceil(out.length / 6) === 0) : out;
}
