// The second engine of the page: the library as WebAssembly in workers, and models that the browser keeps. It answers the questions
// that otherwise go to the server. One worker runs models and is ended to stop a run, the other answers while that one is busy.

export interface Bundle { code: string; wasm: string }  // base64 of gzip: {script, library} as JSON, and the module
export interface Start {
  first: string; text?: string; experiment?: string | null; set?: [string, number][]; settings?: [string, string][]; panels?: object[] | null;
  answer?: string | null;  // what the engine had answered when the page was shared
  bare?: boolean;          // inside another page: no header but the experiment
}

const LONG = new Set(["run", "instant", "diagram", "prove", "explain", "figure", "result"]);
const PATIENCE = 150;  // milliseconds that a run nobody waits for may still take

export function unpack(text: string): Promise<ArrayBuffer> {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

interface Parts { module: WebAssembly.Module; address: string; library: Record<string, string> }
interface Asked { question: string; resolve(text: string): void; reject(error: Error): void; given: number }

class Answering {
  reached: number | null = null;
  private worker: Worker | null = null;
  private ready: Promise<void> | null = null;
  private readonly asked = new Map<number, Asked>();
  private next = 0;
  constructor(private readonly parts: Promise<Parts>, private readonly files: () => Record<string, string>) {}

  private open(): Promise<void> {
    return (this.ready ??= this.parts.then(({ module, address, library }) => new Promise<void>((resolve) => {
      const worker = (this.worker = new Worker(address));
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.reached !== undefined) this.reached = data.reached;
        else {
          const one = this.asked.get(data.id);
          this.asked.delete(data.id);
          this.reached = null;
          if (data.broken) { this.close(); one?.reject(new Error("the engine has broken down: " + data.broken)); this.again(); }
          else one?.resolve(data.text);
        }
      };
      const below = Object.fromEntries(Object.entries(this.files()).map(([path, text]) => ["/models/" + path, text]));
      worker.postMessage({ module, files: { ...library, ...below } });
    })));
  }

  private close() { this.worker?.terminate(); this.worker = this.ready = null; this.reached = null; }
  private again() { for (const [id, one] of this.asked) void this.post(id, one); }
  private async post(id: number, one: Asked) {
    try { await this.open(); } catch (error) { this.asked.delete(id); one.reject(error as Error); return; }
    if (!this.asked.has(id)) return;
    one.given = performance.now(); this.worker?.postMessage({ id, question: one.question });
  }

  put(path: string, text: string) { this.worker?.postMessage({ files: { ["/models/" + path]: text } }); }

  // Ends the question that is being answered; those behind it are asked again.
  end(id: number, why: Error) {
    const one = this.asked.get(id);
    if (!one) return;
    this.asked.delete(id);
    this.close();
    one.reject(why);
    this.again();
  }
  endFirst(why: Error) { const [first] = this.asked.keys(); if (first !== undefined) this.end(first, why); }

  ask(question: string, signal?: AbortSignal): Promise<string> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const one: Asked = { question, resolve, reject, given: 0 };
      this.asked.set(id, one);
      signal?.addEventListener("abort", () => {
        const gone = new DOMException("a newer question", "AbortError");
        one.reject(gone);
        setTimeout(() => this.end(id, gone), PATIENCE);
      });
      void this.post(id, one);
    });
  }
}

// The same texts have the same name: a draft belongs to the text it began with.
function digest(text: string): string {
  let a = 0xdeadbeef, b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) { const c = text.charCodeAt(i); a = Math.imul(a ^ c, 2654435761); b = Math.imul(b ^ c, 1597334677); }
  return (a >>> 0).toString(16) + (b >>> 0).toString(16);
}

export class Engine {
  private readonly own = new Map<string, string>();
  private readonly runs: Answering;
  private readonly others: Answering;
  private stored: string | null;
  private library: Record<string, string> = {};

  constructor(readonly bundle: Bundle | null, readonly start: Start, private readonly models: Record<string, string>) {
    const parts = (async (): Promise<Parts> => {
      if (!bundle) throw new Error("this page was shared without an engine: it shows its result, and does not run");
      const [code, wasm] = await Promise.all([unpack(bundle.code), unpack(bundle.wasm)]);
      const { script, library } = JSON.parse(new TextDecoder().decode(code));
      for (const [name, text] of Object.entries<string>(library)) this.library[name.replace(/.*\//, "")] = text;
      return { module: await WebAssembly.compile(wasm), address: URL.createObjectURL(new Blob([script], { type: "text/javascript" })), library };
    })();
    const files = () => ({ ...models, ...Object.fromEntries(this.own) });
    this.runs = new Answering(parts, files);
    this.others = new Answering(parts, files);
    this.stored = start.answer ?? null;
    if (start.text !== undefined) this.own.set(start.first, start.text);
    else this.load();
  }

  // What somebody saves stays in this browser; a shared page keeps to itself.
  private load() {
    try { for (const [path, text] of Object.entries<string>(JSON.parse(localStorage.getItem("kairos-models") ?? "{}"))) this.own.set(path, text); } catch { /* none */ }
  }
  private keep() {
    if (this.start.text !== undefined) return;
    try { localStorage.setItem("kairos-models", JSON.stringify(Object.fromEntries(this.own))); } catch { /* until the page is closed */ }
  }

  private text(path: string): string | undefined { return this.own.get(path) ?? this.models[path]; }

  private file(what: string, more: any): object | null {
    const text = this.text(more.path ?? "");
    switch (what) {
      case "start": return { first: this.start.first, folder: "" };
      case "files": return { files: [...new Set([...this.own.keys(), ...(this.start.first ? [this.start.first] : [])])].sort() };
      case "read": return text === undefined ? { error: "there is no such model here" } : { text, version: digest(text) };
      case "look": return { version: text === undefined ? null : digest(text) };
      case "examples": return { files: Object.keys(this.models).filter((p) => p.endsWith(".kai")).sort() };
      case "example": return this.models[more.path] === undefined ? { error: "there is no such example" } : { text: this.models[more.path] };
      case "library": return this.library[more.path] === undefined ? { error: "there is no such file in the library" } : { text: this.library[more.path] };
      case "progress": return { reached: this.runs.reached };
      case "stop": this.runs.endFirst(new Error("stopped")); return {};
      case "write":
        if (more.version === null && text !== undefined) return { conflict: true, error: "there is such a model already" };
        this.own.set(more.path, more.text);
        this.keep();
        this.runs.put(more.path, more.text);
        this.others.put(more.path, more.text);
        return { version: digest(more.text) };
      default: return null;
    }
  }

  async ask(what: string, more: any, signal?: AbortSignal): Promise<any> {
    const file = this.file(what, more);
    if (file) return file;
    // A shared page shows what it brought before the engine is awake.
    if (what === "run" && this.stored !== null && more.text === this.start.text) {
      const text = this.stored;
      this.stored = null;
      return JSON.parse(text);
    }
    return JSON.parse(await (LONG.has(what) ? this.runs : this.others).ask(JSON.stringify({ do: what, ...more }), signal));
  }
}
