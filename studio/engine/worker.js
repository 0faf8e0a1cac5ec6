// The worker of a page without a server, behind the glue of emscripten: questions come as texts and are answered in their order. The
// engine asks for the time as it runs, because of its limits: that is when it can tell how far it has come.
let engine = null, told = 0;
const clock = performance.now.bind(performance);
performance.now = () => {
  const now = clock();
  if (engine && now - told > 200) { told = now; postMessage({ reached: engine.HEAPF64[engine._engine_reached() >> 3] }); }
  return now;
};

function put(files) {
  for (const [path, text] of Object.entries(files)) {
    engine.FS.mkdirTree(path.replace(/\/[^/]*$/, ""));
    engine.FS.writeFile(path, text);
  }
}

function answer(question) {
  const bytes = new TextEncoder().encode(question), at = engine._malloc(bytes.length + 1);
  told = clock();
  engine.HEAPU8.set(bytes, at);
  const status = engine._engine_answer(at, bytes.length);
  engine._free(at);
  const text = engine._engine_text(), length = engine._engine_length();
  if (status !== 0 || length === 0) return JSON.stringify({ error: "there is not enough memory for an answer" });
  return new TextDecoder().decode(engine.HEAPU8.subarray(text, text + length));
}

onmessage = async ({ data }) => {
  if (data.module) {
    engine = await kairosEngine({ instantiateWasm: (imports, done) => { WebAssembly.instantiate(data.module, imports).then((instance) => done(instance)); return {}; } });
    engine.FS.mkdirTree("/models");
    put(data.files);
    postMessage({ ready: true });
  } else if (data.files) put(data.files);
  else {
    try { postMessage({ id: data.id, text: answer(data.question) }); }
    catch (error) { postMessage({ id: data.id, broken: String(error) }); }
  }
};
