// One .html with the model, the engine and the result: what a page is made of, put together again with another beginning.
import type { Bundle, Start } from "./engine";

const LARGEST = 6 << 20;  // characters of a result that are worth taking along; a larger one is run again

// What the page looked like before anything was done to it.
const markup = (() => {
  const body = document.body.cloneNode(true) as HTMLElement;
  for (const script of body.querySelectorAll("script")) script.remove();
  return body.innerHTML;
})();

// In a script nothing may look like its end.
const inScript = (text: string) => text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const inText = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

// Inside the page, or from the server that brought it.
async function part(id: string, name: string): Promise<string | null> {
  const inside = document.getElementById(id)?.textContent;
  if (inside) return inside;
  const reply = await fetch(name).catch(() => null);
  return reply?.ok ? reply.text() : null;
}

export async function bundle(): Promise<Bundle | null> {
  const mine = (window as any).kairosBundle as Bundle | undefined;
  if (mine) return mine;
  const text = await part("page-engine", "engine.json");
  return text === null ? null : JSON.parse(text);
}

export async function share(start: Start, title: string): Promise<{ html: string; runs: boolean }> {
  const [style, script, engine] = await Promise.all([part("page-style", "studio.css"), part("page-script", "studio.js"), bundle()]);
  if (style === null || script === null) throw new Error("the page cannot read itself");
  const answer = start.answer && start.answer.length <= LARGEST ? start.answer : null;
  const head = `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${inText(title)}</title>\n<link rel="icon" href="data:,">\n<style id="page-style">${style}</style>\n</head>\n<body>`;
  const data = `window.kairosStart = ${inScript(JSON.stringify({ ...start, answer }))};\nwindow.kairosBundle = ${inScript(JSON.stringify(engine))};`;
  return { html: `${head}${markup}<script>${data}</script>\n<script id="page-script">${inScript(script)}</script>\n</body>\n</html>\n`, runs: engine !== null };
}
