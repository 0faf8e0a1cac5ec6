# The playground: the gallery and the tutorials as pages whose models run where they are read, and the page of the studio with the
# engine inside (play.html). A folder of files that needs no server.
import base64
import glob
import gzip
import html
import json
import os
import re
import shutil

import gallery
import site_pages
from markdown import Converter

LIVE = """
document.addEventListener("click", (event) => {
  const box = event.target.closest(".live");
  if (!box || box.querySelector("iframe")) return;
  const frame = document.createElement("iframe");
  frame.src = document.body.dataset.root + "play.html#bare:" + encodeURIComponent(box.dataset.model);
  frame.title = box.dataset.model;
  box.append(frame);
});
"""
STYLE = """
.live { margin: 10px 0 22px; } .live > button { font: inherit; padding: 5px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--soft);
    color: var(--link); cursor: pointer; }
.live iframe { display: block; width: 100%; height: 620px; margin-top: 8px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
@media (max-width: 760px) { .live iframe { height: 900px; } }
"""


def packed(data):
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def bundle(top, engine):
    """The engine as a page takes it along: its module, and the script of its worker with the library of models."""
    library = {"/lib/" + os.path.relpath(path, top + "/lib"): gallery.read(path) for path in sorted(glob.glob(top + "/lib/**/*.kai", recursive=True))}
    script = gallery.read(engine + "/engine.js") + "\n" + gallery.read(top + "/studio/engine/worker.js")
    with open(engine + "/engine.wasm", "rb") as file:
        wasm = file.read()
    return {"code": packed(json.dumps({"script": script, "library": library}).encode()), "wasm": packed(wasm)}


def in_script(text):
    return re.sub(r"</(script)", r"<\\/\1", text, flags=re.I).replace("<!--", "<\\!--")


def play_page(top, packed_engine):
    """The page of the studio with everything it needs inside, but for the models."""
    dist = top + "/studio/dist/"
    page = gallery.read(dist + "index.html")
    page = page.replace('<link rel="stylesheet" href="studio.css">', f'<style id="page-style">{gallery.read(dist + "studio.css")}</style>')
    scripts = (f'<script src="models.js"></script>\n<script>window.kairosStart = {{"first": "ball/model.kai"}};\n'
               f'window.kairosBundle = {json.dumps(packed_engine)};</script>\n'
               f'<script id="page-script">{in_script(gallery.read(dist + "studio.js"))}</script>')
    return page.replace('<script src="studio.js"></script>', scripts)


def example_files(top):
    """Every text that an example consists of: models, tables, netlists."""
    found = {}
    for path in sorted(glob.glob(top + "/examples/*/*")):
        if re.search(r"\.(kai|csv|cir|txt)$", path):
            found[os.path.relpath(path, top + "/examples")] = gallery.read(path)
    return found


class Tutorial:
    """Hears the blocks of a tutorial: each model can be run below its text."""

    def __init__(self, name, models):
        self.name, self.models = name, models

    def after(self, kind, name, body):
        if kind != "kai" or not name or "experiment " not in body:
            if kind == "kai" and name:
                self.models[f"{self.name}/{name}"] = body + "\n"
            return ""
        self.models[f"{self.name}/{name}"] = body + "\n"
        return live(f"{self.name}/{name}", False)


def live(model, at_once):
    if at_once:
        return (f'<div class="live" data-model="{html.escape(model)}"><iframe loading="lazy" title="{html.escape(model)}" '
                f'src="../play.html#bare:{html.escape(model)}"></iframe></div>')
    return f'<div class="live" data-model="{html.escape(model)}"><button>Run it here</button></div>'


def make_tutorials(site, models):
    for source, address in sorted(site.pages.items()):
        if not source.startswith("docs/tutorial") or not source.endswith(".md"):
            continue
        name = os.path.basename(source)[:-3]
        hears = Tutorial(name, models)
        converter = Converter(site.resolver(source, address), hears.after)
        body = converter.convert(gallery.read(os.path.join(site.top, source)))
        site.remember(converter.headings[0][1], address, body)
        site.write(address, converter.headings[0][1], body)


def front(site, models):
    tutorials = "".join(f'<li><a href="{address}">{html.escape(site_pages.first_heading(os.path.join(site.top, source)))}</a></li>'
                        for source, address in sorted(site.pages.items()) if source.startswith("docs/tutorial") and source.endswith(".md")
                        and not source.endswith("README.md"))
    return (f'<h1>Kairos, in this page</h1><p class="lead">Systems that flow and jump. The models of these pages run in your browser: '
            f'change a number, and the curve follows. Nothing is installed and nothing is sent.</p>'
            f'<p><a href="play.html">Write a model</a> · <a href="gallery/index.html">Gallery</a> of {sum(p.endswith("/model.kai") for p in models)} examples</p>'
            f'<h2 id="tutorials">Tutorials</h2><ul>{tutorials}</ul>')


def make(top, program, folder, engine, figures):
    site = site_pages.Site(top, folder)
    site.figures, site.program, site.script = figures, program, "live.js"
    site_pages.plan(site)
    models = example_files(top)
    os.makedirs(folder, exist_ok=True)
    site.pages["README.md"] = "index.html"
    site.menu = [("Start", [("Playground", "index.html"), ("Write a model", "play.html"), ("Gallery", "gallery/index.html")]),
                 ("Tutorials", [(site_pages.first_heading(os.path.join(top, s)), a) for s, a in sorted(site.pages.items())
                                if s.startswith("docs/tutorial") and s.endswith(".md") and not s.endswith("README.md")])]
    # What is linked and is no page of the playground is shown as it is.
    kept = ("docs/tutorial", "examples")
    site.pages = {s: a for s, a in site.pages.items() if s.startswith(kept) or s == "README.md"}
    make_tutorials(site, models)
    site.live = lambda name: live(f"{name}/model.kai", True)
    site_pages.make_gallery(site, program, os.path.join(folder, "gallery"), "gallery/")
    site.write("index.html", "Playground", front(site, models))
    site_pages.copy_frame(site)
    packed_engine = bundle(top, engine)
    for name, text in (("play.html", play_page(top, packed_engine)), ("live.js", LIVE),
                       ("models.js", "window.kairosModels = " + in_script(json.dumps(models, ensure_ascii=False)) + ";\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "site.css"), "a", encoding="utf-8") as file:
        file.write(STYLE)
    shutil.copy(top + "/studio/dist/licences.txt", folder)
    return site.problems
