// Questions to the server, or to the engine that a page brings along. A question that cannot be sent says so to whoever listens, and is no answer.
import { Engine } from "./engine";

export const page = crypto.getRandomValues(new Uint32Array(3)).join("-").slice(0, 36);

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }
export interface Diagnostic { range: Range; severity: number; code?: string; message: string; data: { help: string | null } }
export interface Variable { name: string; kind: string; unit?: string; description?: string; start?: number; settable: boolean; recorded: boolean; line?: number }
export interface Column { name: string; kind: string; unit?: string; impulse: number; modes?: string[] }
export interface Fired { t: number; p: number; m: number; kind: string; text: string; position?: Position; file?: string }
export interface Expect { passed: boolean; source: string; text: string; value?: number; target?: number; within?: number; unit?: string; line?: number }
export interface Panel { signals: string[]; against?: string; log?: boolean }
export interface Run {
  label: string; status: string; reached: number; failure?: Diagnostic; warnings: Diagnostic[]; instants: number; steps: number; seconds: number;
  rows: number; t: Float64Array; p: Int32Array; m: Int32Array; values: Float64Array[]; fired: Fired[]; expects: Expect[]; halt: string | null;
}
export interface Limit { from: number; to: number; steps: number; state?: string; share?: number }
export interface Result {
  error?: string; diagnostics: Diagnostic[]; model: string; experiment: string | null; experiments: { name: string; line: number; sweep: boolean }[];
  variables: Variable[]; panels: Panel[]; columns: Column[]; runs: Run[]; start: number; stop: number | null; points: number; more?: boolean; failure?: Diagnostic;
}

export let connected = true;
const listeners: ((up: boolean) => void)[] = [];
export function onConnection(listener: (up: boolean) => void) { listeners.push(listener); }

function report(up: boolean) {
  if (up === connected) return;
  connected = up;
  for (const listener of listeners) listener(up);
}

// A page that brings no server has this; a shared page of a program without an engine has a beginning only.
const here = window as any;
export const engine: Engine | null = here.kairosStart ? new Engine(here.kairosBundle ?? null, here.kairosStart, here.kairosModels ?? {}) : null;

export async function ask<T = any>(what: string, more: object = {}, signal?: AbortSignal): Promise<T> {
  if (engine) return engine.ask(what, more, signal);
  let reply: Response;
  try {
    reply = await fetch("ask", { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: what, page, ...more }) });
  } catch (error) {
    if (!signal?.aborted) report(false);
    throw error;
  }
  report(true);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

function bytes(text: string): ArrayBuffer {
  const binary = atob(text), out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out.buffer;
}

// The latest run as it came, for who takes it along.
export let latest: { answer: any; question: object } | null = null;

export async function run(question: object, signal: AbortSignal): Promise<Result> {
  const answer = await ask<any>("run", question, signal);
  latest = { answer: { ...answer, runs: answer.runs?.map((one: any) => ({ ...one })) }, question };
  for (const one of answer.runs ?? []) {
    one.t = new Float64Array(bytes(one.t));
    one.p = new Int32Array(bytes(one.p));
    one.m = new Int32Array(bytes(one.m));
    one.values = one.values.map((v: string) => new Float64Array(bytes(v)));
  }
  answer.runs ??= [];
  answer.columns ??= [];
  return answer;
}

export function decode(text: string): ArrayBuffer { return bytes(text); }

export function format(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "·";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(digits - 2).replace(/\.?0+e/, "e") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}
