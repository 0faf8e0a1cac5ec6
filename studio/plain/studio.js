// The page without npm: a text, a run, its curves. Everything else is in studio/src.
"use strict";
const $ = (id) => document.getElementById(id);
const page = Math.random().toString(36).slice(2);
let version = null;

async function ask(question) {
  const reply = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

function numbers(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

function draw(name, unit, t, values) {
  const label = document.createElement("div");
  label.textContent = unit ? `${name} [${unit}]` : name;
  const canvas = document.createElement("canvas");
  $("plots").append(label, canvas);
  const width = (canvas.width = canvas.clientWidth * devicePixelRatio), height = (canvas.height = canvas.clientHeight * devicePixelRatio);
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity), high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const x = (v) => ((v - t[0]) / (t[t.length - 1] - t[0] || 1)) * (width - 10) + 5;
  const y = (v) => height - 5 - ((v - low) / (high - low || 1)) * (height - 10);
  const g = canvas.getContext("2d");
  g.strokeStyle = getComputedStyle(document.body).color;
  g.lineWidth = devicePixelRatio;
  g.beginPath();
  let pen = false;
  for (let i = 0; i < t.length; i++) {
    if (!Number.isFinite(values[i])) { pen = false; continue; }
    if (pen && t[i] !== t[i - 1]) g.lineTo(x(t[i]), y(values[i])); else g.moveTo(x(t[i]), y(values[i]));
    pen = true;
  }
  g.stroke();
}

async function run() {
  try {
    const answer = await ask({ do: "run", page, path: $("file").value, text: $("text").value, experiment: $("experiment").value || undefined });
    const messages = answer.diagnostics.map((d) => `${d.range.start.line + 1}:${d.range.start.character + 1}: ${d.message}${d.data.help ? "\n   help: " + d.data.help : ""}`);
    const first = answer.runs && answer.runs[0];
    if (first) {
      for (const e of first.expects) messages.push(`${e.passed ? "passed" : "FAILED"}: expect ${e.source}`);
      if (first.failure) messages.push(first.failure.message);
      messages.push(`t = ${first.reached}, ${first.instants} instants, ${first.steps} steps, ${first.rows} rows`);
    }
    $("said").textContent = messages.join("\n");
    if (!first) return;
    const chosen = $("experiment").value;
    $("experiment").replaceChildren(...answer.experiments.map((e) => new Option(e.name, e.name, false, e.name === chosen)));
    $("plots").replaceChildren();
    const t = numbers(first.t);
    for (const panel of answer.panels)
      for (const name of panel.signals) {
        const at = answer.columns.findIndex((c) => c.name === name);
        if (at >= 0) draw(name, answer.columns[at].unit, t, numbers(first.values[at]));
      }
  } catch (error) {
    $("said").textContent = String(error);
  }
}

async function open() {
  const file = await ask({ do: "read", path: $("file").value });
  if (file.error) { $("said").textContent = file.error; return; }
  $("text").value = file.text;
  version = file.version;
  await run();
}

async function save() {
  const written = await ask({ do: "write", path: $("file").value, text: $("text").value, version });
  $("said").textContent = written.error || "saved";
  if (written.version) version = written.version;
}

async function start() {
  const { first } = await ask({ do: "start" });
  const { files } = await ask({ do: "files" });
  $("file").replaceChildren(...files.map((f) => new Option(f, f, false, f === first)));
  if (files.length) await open();
}

let timer;
$("text").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(run, 150); });
$("file").addEventListener("change", open);
$("experiment").addEventListener("change", run);
$("run").addEventListener("click", run);
$("save").addEventListener("click", save);
start().catch((error) => ($("said").textContent = String(error)));
