// The extension of VS Code with its real client and a real `kairos lsp`; only the editor is a stand-in, as much of it as the client touches.
// usage: vscode.mjs   (KAIROS: the program)
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "kairos-"));
const TEXT = "model Ball {\n  param g [m/s^2] = 9.81 \"gravity\"\n  state y [m] = 1, v [m/s] = 0\n  y' = v; v' = -gg\n}\n";
writeFileSync(join(folder, "ball.kai"), TEXT);

// ---- the editor

class Position { constructor(line, character) { this.line = line; this.character = character; } }
class Range { constructor(a, b, c, d) { [this.start, this.end] = typeof a === "number" ? [new Position(a, b), new Position(c, d)] : [a, b]; } }
class Disposable { constructor(f) { this.f = f; } dispose() { this.f?.(); } static from(...all) { return new Disposable(() => all.forEach((d) => d.dispose())); } }
class EventEmitter { listeners = []; event = (f, self) => { this.listeners.push(self ? f.bind(self) : f); return new Disposable(); }; fire(e) { for (const f of this.listeners) f(e); } dispose() {} }
class CancellationTokenSource { token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() }; cancel() {} dispose() {} }
class Uri {
  constructor(text) { this.text = text; const u = new URL(text); this.scheme = u.protocol.slice(0, -1); this.path = decodeURIComponent(u.pathname); this.fsPath = this.scheme === "file" ? fileURLToPath(text) : this.path; this.authority = this.query = this.fragment = ""; }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(String(pathToFileURL(path))); }
}
const given = { diagnostics: new Map(), providers: {}, commands: {} };
const never = () => new Disposable();
const uri = Uri.file(join(folder, "ball.kai"));
const doc = { uri, fileName: uri.fsPath, languageId: "kairos", version: 1, isClosed: false, isUntitled: false, getText: () => TEXT, positionAt: () => new Position(0, 0), lineCount: 6 };
// What nobody asks here exists, and does nothing.
const anything = () => new Proxy(class {}, { get: (target, name) => target[name] ?? (name === "prototype" ? target.prototype : anything()), apply: () => new Disposable() });
const open = (known) => new Proxy(known, { get: (target, name) => (name in target ? target[name] : typeof name === "symbol" ? undefined : /^onDid|^onWill|^register/.test(name) ? never : anything()) });
const register = (name) => (...all) => { given.providers[name] = all.find((a) => a && typeof a === "object" && Object.keys(a).some((k) => k.startsWith("provide"))); return new Disposable(); };
const vscode = open({
  version: "1.90.0", Position, Range, Disposable, EventEmitter, CancellationTokenSource, Uri,
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  Hover: class { constructor(contents, range) { Object.assign(this, { contents, range }); } },
  MarkdownString: class { constructor(value = "") { this.value = value; } appendCodeblock(code) { this.value += code; return this; } appendMarkdown(m) { this.value += m; return this; } },
  WorkspaceEdit: class { edits = []; set(u, e) { this.edits.push([String(u), e]); } replace(u, r, t) { this.edits.push([String(u), [{ range: r, newText: t }]]); } },
  TextEdit: class { constructor(range, newText) { Object.assign(this, { range, newText }); } static replace(r, t) { return new this(r, t); } },
  CompletionItem: class { constructor(label) { this.label = label; } }, CompletionList: class { constructor(items) { this.items = items; } },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, CompletionItemKind: {}, SymbolKind: {}, CodeActionKind: open({}),
  env: open({ language: "en", appName: "stand-in", onDidChangeTelemetryEnabled: never, createTelemetryLogger: () => ({}) }),
  workspace: open({
    textDocuments: [doc], workspaceFolders: [{ uri: Uri.file(folder), name: "f", index: 0 }], notebookDocuments: [],
    getConfiguration: () => ({ get: (name, otherwise) => (name === "program" ? process.env.KAIROS : name === "allowFiles" ? false : otherwise), inspect: () => undefined }),
    getWorkspaceFolder: () => undefined, createFileSystemWatcher: () => open({}), fs: open({}), isTrusted: true,
  }),
  window: open({ createOutputChannel: () => ({ append: () => {}, appendLine: () => {}, show: () => {}, clear: () => {}, replace: () => {}, dispose: () => {} }), showErrorMessage: (m) => { throw new Error(m); }, visibleTextEditors: [], activeTextEditor: undefined, tabGroups: open({ all: [], onDidChangeTabs: never }) }),
  languages: open({
    match: (selector, d) => ([].concat(selector).some((s) => s.language === d.languageId) ? 10 : 0),
    createDiagnosticCollection: () => ({ set: (u, list) => given.diagnostics.set(String(u), list), delete: () => {}, clear: () => {}, dispose: () => {}, has: () => false }),
    registerHoverProvider: register("hover"), registerCompletionItemProvider: register("completion"), registerRenameProvider: register("rename"),
    registerDefinitionProvider: register("definition"), registerDocumentFormattingEditProvider: register("format"), registerDocumentSymbolProvider: register("symbols"), registerCodeActionsProvider: register("actions"), registerReferenceProvider: register("references"),
  }),
  commands: open({ registerCommand: (name, f) => { given.commands[name] = f; return new Disposable(); }, executeCommand: async () => {} }),
});

// ---- the extension

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = createRequire(new URL("../../editors/vscode/package.json", import.meta.url))("./extension.js");
const until = async (what, test) => { for (let k = 0; k < 400; k++) { if (test()) return; await new Promise((r) => setTimeout(r, 25)); } throw new Error(`${what} does not come`); };
await extension.activate({ subscriptions: [] });
assert.deepEqual(Object.keys(given.commands).filter((c) => c.startsWith("kairos.")).sort(), ["kairos.restart", "kairos.studio"]);
await until("a message", () => given.diagnostics.get(String(uri))?.length > 0);
const [message] = given.diagnostics.get(String(uri));
assert.match(message.message, /there is no `gg`/);
assert.deepEqual([message.range.start.line, message.range.start.character], [3, 16]);
await until("what the server can do", () => ["hover", "completion", "rename", "definition", "format", "symbols"].every((n) => given.providers[n]));
const token = new CancellationTokenSource().token;
const hover = await given.providers.hover.provideHover(doc, new Position(1, 8), token);
assert.match(JSON.stringify(hover), /gravity/);
const edit = await given.providers.rename.provideRenameEdits(doc, new Position(2, 8), "height", token);
assert.match(JSON.stringify(edit), /height/);
const items = await given.providers.completion.provideCompletionItems(doc, new Position(3, 4), token, { triggerKind: 0 });
assert.ok((items.items ?? items).some((i) => (i.label.label ?? i.label) === "g"));
await extension.deactivate();
rmSync(folder, { recursive: true });
console.log("the extension of VS Code: passed");
process.exit(0);
