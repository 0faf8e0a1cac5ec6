// The text: highlighting, messages, completion, hover, definition, rename, layout; numbers that can be dragged; lines of
// `expect` in green and red.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Lint } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers, placeholder, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { ask, format, type Diagnostic, type Expect, type Position, type Range } from "./ask";

const words = new Map<string, string>();
const NUMBER = /(?<![A-Za-z_0-9.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/g;

const language = StreamLanguage.define<{ unit: boolean }>({
  name: "kairos",
  startState: () => ({ unit: false }),
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) { stream.skipToEnd(); return "comment"; }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^\[(?:[A-Za-zµ%°]|1\/[A-Za-zµ(])[^\]]*\]/)) return "unit";
    if (stream.match(/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/)) return "number";
    const name = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (name) {
      const kind = words.get(name[0]);
      if (kind === "reserved") return "keyword";
      if (kind === "function" && stream.match(/^\s*\(/, false)) return "function";
      return kind === "value" ? "atom" : "name";
    }
    void state;
    stream.next();
    return "operator";
  },
  tokenTable: { unit: tags.unit, function: tags.function(tags.variableName), name: tags.variableName },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--c3)" }, { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--c2)" }, { tag: tags.number, color: "var(--c1)" }, { tag: tags.unit, color: "var(--c5)" },
  { tag: tags.function(tags.variableName), color: "var(--c0)" }, { tag: tags.atom, color: "var(--c1)" }, { tag: tags.operator, color: "var(--faint)" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--paper)" },
  ".cm-hover": { padding: "4px 8px", maxWidth: "32em", whiteSpace: "pre-wrap" },
  ".cm-diagnostic .help": { color: "var(--faint)", display: "block" },
  ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--ink)" },
});

export function offset(doc: Text, at: Position): number {
  const line = doc.line(Math.min(Math.max(at.line + 1, 1), doc.lines));
  return Math.min(line.from + at.character, line.to);
}
function position(doc: Text, at: number): Position {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

// ---- lines that are marked

interface Marks { expects: Expect[]; fired: number[] }
const setMarks = StateEffect.define<Partial<Marks>>();

class Value extends WidgetType {
  constructor(readonly text: string, readonly good: boolean) { super(); }
  eq(other: Value) { return other.text === this.text && other.good === this.good; }
  toDOM() {
    const span = document.createElement("span");
    span.className = "cm-value " + (this.good ? "good" : "bad");
    span.textContent = this.text;
    return span;
  }
}

function decorate(doc: Text, marks: Marks): DecorationSet {
  const lines = new Map<number, { good: boolean; text: string[] }>();
  for (const e of marks.expects) {
    if (e.line === undefined || e.line >= doc.lines) continue;
    const at = lines.get(e.line) ?? { good: true, text: [] };
    at.good &&= e.passed;
    if (!e.passed) at.text.push(e.value === undefined ? "no value" : `is ${format(e.value, 9)}${e.unit ? " " + e.unit : ""}`);
    lines.set(e.line, at);
  }
  const found: { from: number; side: number; deco: Decoration }[] = [];
  for (const [line, { good, text }] of lines) {
    const l = doc.line(line + 1);
    found.push({ from: l.from, side: 0, deco: Decoration.line({ class: good ? "cm-expect-good" : "cm-expect-bad" }) });
    found.push({ from: l.to, side: 1, deco: Decoration.widget({ widget: new Value(good ? "✓" : "✗ " + text.join(", "), good), side: 1 }) });
  }
  for (const line of new Set(marks.fired)) if (line < doc.lines) found.push({ from: doc.line(line + 1).from, side: 0, deco: Decoration.line({ class: "cm-fired-line" }) });
  found.sort((a, b) => a.from - b.from || a.side - b.side);
  return Decoration.set(found.map((f) => f.deco.range(f.from)), true);
}

const marksField = StateField.define<{ marks: Marks; deco: DecorationSet }>({
  create: () => ({ marks: { expects: [], fired: [] }, deco: Decoration.none }),
  update(value, transaction) {
    let deco = value.deco.map(transaction.changes), marks = value.marks;
    for (const effect of transaction.effects)
      if (effect.is(setMarks)) { marks = { ...marks, ...effect.value }; deco = decorate(transaction.newDoc, marks); }
    return { marks, deco };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.deco),
});

// ---- numbers as sliders

const numberMark = Decoration.mark({ class: "cm-number-drag" });
function numbersOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const comment = line.text.indexOf("//"), text = comment >= 0 ? line.text.slice(0, comment) : line.text;
      for (const match of text.replace(/"[^"]*"|\[(?:[A-Za-zµ%°]|1\/[A-Za-zµ(])[^\]]*\]/g, (s) => " ".repeat(s.length)).matchAll(NUMBER)) builder.add(line.from + match.index!, line.from + match.index! + match[0].length, numberMark);
      at = line.to + 1;
    }
  return builder.finish();
}

export function numberAt(text: string, column: number): { from: number; to: number } | null {
  for (const match of text.matchAll(NUMBER)) if (match.index! <= column && column <= match.index! + match[0].length) return { from: match.index!, to: match.index! + match[0].length };
  return null;
}

// One step of a number as it is written: its last digit.
export function moved(text: string, steps: number): string {
  const [mantissa, exponent] = text.toLowerCase().split("e");
  const decimals = mantissa.includes(".") ? mantissa.length - mantissa.indexOf(".") - 1 : 0;
  const value = Math.max(0, Number(mantissa) + steps * 10 ** -decimals);
  return value.toFixed(decimals) + (exponent !== undefined ? "e" + exponent : "");
}

const numberDrag = ViewPlugin.fromClass(class {
  decorations: DecorationSet;
  drag: { from: number; length: number; first: string; x: number; moved: boolean } | null = null;
  constructor(readonly view: EditorView) {
    this.decorations = numbersOf(view);
    // A finger that drags a number does not scroll the text.
    view.contentDOM.addEventListener("touchmove", (event) => { if (this.drag?.moved && event.cancelable) event.preventDefault(); }, { passive: false });
  }
  update(update: ViewUpdate) { if (update.docChanged || update.viewportChanged) this.decorations = numbersOf(update.view); }
  move(event: PointerEvent) {
    if (!this.drag) return;
    const way = event.clientX - this.drag.x;
    if (!this.drag.moved && Math.abs(way) < 4) return;
    this.drag.moved = true;
    event.preventDefault();
    const text = moved(this.drag.first, Math.round(way / 3) * (event.shiftKey ? 10 : 1));
    const { from, length } = this.drag;
    if (this.view.state.sliceDoc(from, from + length) === text) return;
    this.view.dispatch({ changes: { from, to: from + length, insert: text }, userEvent: "input.drag" });
    this.drag.length = text.length;
  }
}, {
  decorations: (plugin) => plugin.decorations,
  eventHandlers: {
    pointerdown(event, view) {
      const target = event.target as HTMLElement;
      if (event.button !== 0 || event.shiftKey || event.altKey || !target.closest?.(".cm-number-drag")) return false;
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at === null) return false;
      const line = view.state.doc.lineAt(at), number = numberAt(line.text, at - line.from);
      if (!number) return false;
      this.drag = { from: line.from + number.from, length: number.to - number.from, first: line.text.slice(number.from, number.to), x: event.clientX, moved: false };
      const move = (e: PointerEvent) => this.move(e);
      const up = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", up);
        removeEventListener("pointercancel", up);
        if (this.drag && !this.drag.moved) view.dispatch({ selection: { anchor: at } });
        this.drag = null;
        view.focus();
      };
      view.dom.setPointerCapture(event.pointerId);  // the number itself is made anew with every step
      addEventListener("pointermove", move);
      addEventListener("pointerup", up);
      addEventListener("pointercancel", up);
      event.preventDefault();
      return true;
    },
    mousedown(event) { return this.drag !== null && (event.preventDefault(), true); },
  },
});

function nudge(steps: number) {
  return (view: EditorView) => {
    const head = view.state.selection.main.head, line = view.state.doc.lineAt(head), number = numberAt(line.text, head - line.from);
    if (!number) return false;
    const text = moved(line.text.slice(number.from, number.to), steps);
    view.dispatch({ changes: { from: line.from + number.from, to: line.from + number.to, insert: text }, selection: { anchor: line.from + number.from }, userEvent: "input.drag" });
    return true;
  };
}

// ---- the editor

export class Editor {
  readonly view: EditorView;
  private readonly extensions: Extension;
  constructor(parent: HTMLElement, readonly path: () => string, private readonly changed: (quick: boolean) => void, save: () => void, private readonly open: (path: string, at: Position) => void, private readonly tell: (text: string) => void) {
    this.extensions = [
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(),
          language, syntaxHighlighting(colours), theme, lintGutter(), marksField, numberDrag,
          autocompletion({ override: [(context) => this.complete(context)] }),
          hoverTooltip((view, at) => this.hover(view, at)),
          placeholder("Write a model here, or open an example: it runs as you type."),
          EditorView.contentAttributes.of({ "aria-label": "Text of the model", spellcheck: "false" }),
          EditorView.domEventHandlers({ click: (event) => { if (event.ctrlKey || event.metaKey) { void this.goto(); return true; } return false; } }),
          keymap.of([
            { key: "Escape", run: (view) => (view.setTabFocusMode(4000), false) },  // then Tab leads out of the text
            { key: "Mod-s", run: () => (save(), true), preventDefault: true },
            { key: "F12", run: () => (void this.goto(), true) },
            { key: "F2", run: () => (void this.rename(), true) },
            { key: "Shift-Alt-f", run: () => (void this.format(), true) },
            { key: "Alt-ArrowUp", run: nudge(1) }, { key: "Alt-ArrowDown", run: nudge(-1) },
            { key: "Alt-PageUp", run: nudge(10) }, { key: "Alt-PageDown", run: nudge(-10) },
            ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) this.changed(update.transactions.some((t) => t.isUserEvent("input.drag")));
          }),
    ];
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: this.extensions }) });
  }

  // Another file: its own history, or undo would bring the text of the last one into it.
  load(text: string) { this.view.setState(EditorState.create({ doc: text, extensions: this.extensions })); }

  get text() { return this.view.state.doc.toString(); }
  set text(text: string) {
    // The least change: the cursor stays where it is, and undo leads back.
    const old = this.text;
    let from = 0, end = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    while (end < old.length - from && end < text.length - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
    if (old !== text) this.view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) } });
  }

  private about() { return { path: this.path(), text: this.text }; }
  private here() { return position(this.view.state.doc, this.view.state.selection.main.head); }

  show(at: Position, end?: Position) {
    const doc = this.view.state.doc, from = offset(doc, at);
    this.view.dispatch({ selection: { anchor: from, head: end ? offset(doc, end) : doc.lineAt(from).to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  expects(expects: Expect[]) { this.view.dispatch({ effects: setMarks.of({ expects }) }); }
  fired(lines: number[]) {
    this.view.dispatch({ effects: setMarks.of({ fired: lines }) });
    if (lines.length) this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.doc.line(Math.min(lines[0] + 1, this.view.state.doc.lines)).from, { y: "nearest", yMargin: 60 }) });
  }

  messages(list: Diagnostic[]) {
    const doc = this.view.state.doc;
    const shown: Lint[] = list.map((d) => {
      const from = offset(doc, d.range.start);
      let to = offset(doc, d.range.end);
      if (to <= from) to = Math.min(from + 1, doc.length);
      return {
        from: Math.min(from, doc.length), to: Math.max(to, from), severity: d.severity === 1 ? "error" : "warning", message: d.message,
        renderMessage: () => {
          const box = document.createElement("span"), help = document.createElement("span");
          box.textContent = d.message;
          help.className = "help";
          help.textContent = d.data.help ? "help: " + d.data.help : "";
          box.append(help);
          return box;
        },
        actions: d.data.help ? [{ name: "mend", apply: (_view: EditorView, at: number) => void this.mend(at) }] : [],
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, shown));
  }

  private async mend(at: number) {
    const start = position(this.view.state.doc, at);
    const { actions } = await ask<any>("actions", { ...this.about(), range: { start, end: start } });
    if (actions[0]) this.edit(Object.values<any>(actions[0].edit.changes)[0]);
  }

  edit(edits: { range: Range; newText: string }[]) {
    const doc = this.view.state.doc;
    this.view.dispatch({ changes: edits.map((e) => ({ from: offset(doc, e.range.start), to: offset(doc, e.range.end), insert: e.newText })) });
  }

  private async complete(context: CompletionContext) {
    const word = context.matchBefore(/[A-Za-z_]\w*|\./);
    if (!word && !context.explicit) return null;
    const { items } = await ask<any>("complete", { path: this.path(), text: context.state.doc.toString(), position: position(context.state.doc, context.pos) });
    const from = word && word.text !== "." ? word.from : context.pos;
    const kinds: Record<number, string> = { 3: "function", 5: "property", 6: "variable", 7: "class", 9: "namespace", 10: "property", 12: "constant", 14: "keyword", 20: "enum", 21: "constant", 23: "method" };
    return { from, validFor: /^\w*$/, options: items.map((i: any) => ({ label: i.label, detail: i.detail, info: i.documentation, type: kinds[i.kind], boost: i.kind === 14 ? -2 : i.kind === 3 ? -1 : 1 })) };
  }

  private async hover(view: EditorView, at: number) {
    const { hover } = await ask<any>("hover", { ...this.about(), position: position(view.state.doc, at) });
    if (!hover) return null;
    return {
      pos: offset(view.state.doc, hover.range.start), end: offset(view.state.doc, hover.range.end), above: true,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-hover";
        dom.textContent = hover.contents.value.replace(/```\w*\n?/g, "").trim();
        return { dom };
      },
    };
  }

  async goto() {
    const { location } = await ask<any>("definition", { ...this.about(), position: this.here() });
    if (!location) return;
    if (location.uri === this.path()) this.show(location.range.start, location.range.end);
    else this.open(location.uri, location.range.start);
  }

  async rename() {
    const word = this.view.state.wordAt(this.view.state.selection.main.head);
    if (!word) return;
    const newName = prompt("New name", this.view.state.sliceDoc(word.from, word.to));
    if (!newName) return;
    const others = await this.otherFiles();
    const answer = await ask<any>("rename", { ...this.about(), position: this.here(), newName, others: others.map(({ path, text }) => ({ path, text })) });
    if (answer.error) { this.tell(answer.error); return; }
    const changed: string[] = [];
    for (const [path, edits] of Object.entries<any>(answer.edit.changes)) {
      const other = others.find((o) => o.path === path);
      if (path === this.path()) this.edit(edits);
      else if (other) {
        const doc = EditorState.create({ doc: other.text }), text = doc.update({ changes: edits.map((e: any) => ({ from: offset(doc.doc, e.range.start), to: offset(doc.doc, e.range.end), insert: e.newText })) }).newDoc.toString();
        const written = await ask<any>("write", { path, text, version: other.version });
        changed.push(path + (written.error ? ` (not: ${written.error})` : ""));
      }
    }
    if (changed.length) this.tell(`Changed too, and saved: ${changed.join(", ")}.`);
  }

  // The other models of the folder, as they are on the disk.
  private async otherFiles(): Promise<{ path: string; text: string; version: string }[]> {
    const { files } = await ask<any>("files"), mine = this.path();
    const read = await Promise.all((files as string[]).filter((f) => f !== mine).slice(0, 200).map(async (path) => ({ path, ...(await ask<any>("read", { path })) })));
    return read.filter((f) => f.text !== undefined);
  }

  async format() {
    const { edits } = await ask<any>("format", this.about());
    if (edits?.[0]) this.text = edits[0].newText;
  }

  async loadWords() {
    const answer = await ask<any>("words", { text: "" });
    for (const w of answer.words) words.set(w.word, w.kind);
    this.view.dispatch({ effects: StateEffect.appendConfig.of([]) });
  }
}
