# The site: which pages there are, what stands around them, the search, and whether every link leads somewhere.
import glob
import html
import json
import os
import posixpath
import re
import shutil
import sys

import gallery
from markdown import Converter, highlight
from walk import Walk

SECTION_TEXT = 1200  # characters of a section that the search knows


class Site:
    def __init__(self, top, folder):
        self.top, self.folder = top, folder
        self.pages = {}     # source, relative to the top → address
        self.sections = []  # of the search: [title, section, address, text]
        self.problems = []
        self.menu = []      # [(group, [(title, address)])]
        self.figures = True
        self.program = ""
        self.script = None  # beside those of every page
        self.live = None    # of an example, its model as something that runs in the page

    # ---- addresses

    def add(self, source, address):
        self.pages[posixpath.normpath(source)] = address

    def resolver(self, source, address):
        """Turns links of a document into links of its page."""
        def resolve(target):
            if re.match(r"^(https?:|mailto:|#)", target):
                return target
            path, _, anchor = target.partition("#")
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            found = self.pages.get(wanted) or self.pages.get(wanted + "/README.md")
            if found is None and os.path.exists(os.path.join(self.top, wanted)):
                found = self.pages[wanted] = self.plain(wanted)
            if found is None:
                self.problems.append(f"{source}: nothing for the link {target}")
                return target
            return posixpath.relpath(found, posixpath.dirname(address) or ".") + ("#" + anchor if anchor else "")
        return resolve

    def plain(self, path):
        """A file that is no document, or a folder: as it is, for who follows a link to it."""
        address, full = f"files/{path}.html", os.path.join(self.top, path)
        if re.search(r"\.(png|svg|jpg|gif|pdf)$", path):
            address = f"files/{path}"
            os.makedirs(os.path.dirname(os.path.join(self.folder, address)), exist_ok=True)
            shutil.copy(full, os.path.join(self.folder, address))
            return address
        if os.path.isdir(full):
            text = "\n".join(sorted(os.listdir(full)))
        else:
            text = gallery.read(full)
        if path.endswith(".md"):
            self.pages[path] = address
            self.document(path, address)
        else:
            self.write(address, path, f'<h1>{html.escape(path)}</h1><div class="code"><pre><code>{html.escape(text)}</code></pre></div>', wide=True)
        return address

    # ---- pages

    def write(self, address, title, body, wide=False):
        path = os.path.join(self.folder, address)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        root = posixpath.relpath(".", posixpath.dirname(address) or ".")
        root = "" if root == "." else root + "/"
        with open(path, "w", encoding="utf-8") as file:
            file.write(page(root, title, self.menu_html(root, address), body, wide, self.script))

    def menu_html(self, root, address):
        out = []
        for group, entries in self.menu:
            out.append(f"<h2>{group}</h2><ul>")
            for title, target in entries:
                here = ' aria-current="page"' if target == address else ""
                out.append(f'<li><a href="{root}{target}"{here}>{html.escape(title)}</a></li>')
            out.append("</ul>")
        return "".join(out)

    def remember(self, title, address, body):
        """Sections for the search: what stands between two headings."""
        parts = re.split(r'(?=<h[1-6] id=")', body)
        for part in parts:
            match = re.match(r'<h[1-6] id="([^"]*)">(.*?)</h', part)
            text = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", part))).strip()
            if text:
                section = html.unescape(re.sub(r"<[^>]+>", "", match.group(2))) if match else ""
                target = address + ("#" + match.group(1) if match else "")
                self.sections.append([title, section if section != title else "", target, text[:SECTION_TEXT]])

    def document(self, source, address, before="", after=""):
        text = gallery.read(os.path.join(self.top, source))
        walk = Walk(self.program, self.top, self.folder, address) if self.figures and source.startswith("docs/tutorial") else None
        converter = Converter(self.resolver(source, address), walk.after if walk else None)
        body = converter.convert(text)
        if walk:
            walk.close()
        title = converter.headings[0][1] if converter.headings else source
        entries = [(t, a) for level, t, a in converter.headings if level == 2]
        contents = ""
        if len(entries) > 3:
            contents = '<details class="contents"><summary>On this page</summary><ul>' + "".join(
                f'<li><a href="#{a}">{html.escape(t)}</a></li>' for t, a in entries) + "</ul></details>"
        self.remember(title, address, body)
        self.write(address, title, before + contents + body + after)

    def source(self, source, address, kind):
        """A file of the library or a header, as it is."""
        text = gallery.read(os.path.join(self.top, source))
        name = posixpath.basename(source)
        first = re.search(r"^// (.*)", text, re.M)
        marked = highlight(text) if kind == "kai" else html.escape(text, quote=False)
        body = f'<h1>{name}</h1><div class="code {kind}"><pre><code>{marked}</code></pre></div>'
        self.remember(name, address, f'<h1 id="">{name}</h1>' + html.escape(text[:SECTION_TEXT]))
        self.write(address, name, body, wide=True)
        return first.group(1) if first else ""

    def check_links(self):
        """Every address inside the pages exists, with its anchor."""
        anchors = {}
        for path in glob.glob(self.folder + "/**/*.html", recursive=True):
            if os.path.basename(os.path.dirname(path)) == "figures":
                continue  # drawn by the program, complete in itself
            anchors[os.path.normpath(path)] = set(re.findall(r'id="([^"]*)"', gallery.read(path)))
        for path in anchors:
            for target in re.findall(r'(?:href|src)="([^"]*)"', gallery.read(path)):
                if re.match(r"^(https?:|mailto:|data:)", target) or (not self.figures and target.endswith(".svg")):
                    continue
                file, _, anchor = html.unescape(target).partition("#")
                full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if not os.path.exists(full):
                    self.problems.append(f"{os.path.relpath(path, self.folder)}: {target} is not there")
                elif anchor and full in anchors and anchor not in anchors[full]:
                    self.problems.append(f"{os.path.relpath(path, self.folder)}: {target} has no such heading")


def page(root, title, menu, body, wide, script=None):
    live = f'\n<script src="{root}{script}" defer></script>' if script else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)} · Kairos</title>
<link rel="stylesheet" href="{root}site.css">
</head>
<body data-root="{root}">
<header class="top"><a class="name" href="{root}index.html">Kairos</a><input id="search" type="search" placeholder="Search ( / )"
 aria-label="Search"><details class="menu"><summary>Menu</summary><nav>{menu}</nav></details></header>
<div id="found" hidden></div>
<div class="frame"><nav class="side">{menu}</nav>
<main{' class="wide-page"' if wide else ''}>
{body}
</main></div>
<script src="{root}search-index.js" defer></script>
<script src="{root}site.js" defer></script>{live}
</body>
</html>
"""


# ---- what there is

def first_heading(path):
    match = re.search(r"^# (.*)", gallery.read(path), re.M)
    return match.group(1).replace("`", "") if match else os.path.basename(path)


def plan(site):
    """Every document gets its address before the first is written: they link to each other."""
    top = site.top
    site.add("README.md", "index.html")
    for path in sorted(glob.glob(top + "/docs/*.md") + glob.glob(top + "/docs/tutorials/*.md")):
        source = os.path.relpath(path, top)
        site.add(source, source[len("docs/"):-3].replace("README", "index") + ".html")
    for path in sorted(glob.glob(top + "/docs/decisions/*.md")):
        name = os.path.basename(path)[:-3]
        site.add(os.path.relpath(path, top), f"decisions/{'index' if name == 'README' else name}.html")
    site.add("docs/decisions", "decisions/index.html")
    site.add("docs/tutorials", "tutorials/index.html")
    site.add("docs/house.svg", "house.svg")
    site.add("docs/kairos.1", "reference.html")
    site.add("examples", "gallery/index.html")
    site.add("examples/README.md", "gallery/index.html")
    for path in sorted(glob.glob(top + "/examples/*/README.md")):
        name = os.path.basename(os.path.dirname(path))
        drawn = os.path.exists(os.path.join(os.path.dirname(path), "model.kai"))
        for source in (f"examples/{name}", f"examples/{name}/README.md", f"examples/{name}/model.kai"):
            site.add(source, f"gallery/{name}.html" if drawn else f"examples/{name}.html")
    for path in sorted(glob.glob(top + "/src/*/README.md") + [top + "/bench/README.md", top + "/cli/README.md"]):
        source = os.path.relpath(path, top)
        name = os.path.basename(os.path.dirname(path))
        for each in (source, os.path.dirname(source)):
            site.add(each, f"house/{name}.html")
    for path in sorted(glob.glob(top + "/lib/*.kai")):
        site.add(os.path.relpath(path, top), f"lib/{os.path.basename(path)}.html")
    for path in sorted(glob.glob(top + "/include/kairos/*.h")):
        site.add(os.path.relpath(path, top), f"api/{os.path.basename(path)}.html")
    site.add("lib", "lib/index.html")
    site.add("src", "architecture.html")
    site.add("include/kairos", "api/index.html")


def make_menu(site):
    def entry(source, title=None):
        return (title or first_heading(os.path.join(site.top, source)), site.pages[source])

    trades = [entry(os.path.relpath(p, site.top)) for p in sorted(glob.glob(site.top + "/docs/tutorials/*.md"))
              if not p.endswith("README.md")]
    site.menu = [
        ("Start", [("What it is", "index.html"), entry("docs/tutorial.md", "Tutorial"), ("Gallery", "gallery/index.html")]),
        ("By trade", trades),
        ("Look up", [entry("docs/language.md", "Language"), entry("docs/reference.md", "Reference"), ("Library", "lib/index.html"),
                     ("C headers", "api/index.html"), entry("docs/semantics.md", "Semantics"),
                     entry("docs/fmi.md", "FMI"), entry("docs/reliability.md", "Reliability")]),
        ("Inside", [entry("docs/architecture.md", "Architecture"), ("Decisions", "decisions/index.html")]),
    ]
    shown = {address for _, entries in site.menu for _, address in entries}
    others = [p for p in sorted(glob.glob(site.top + "/docs/*.md")) if site.pages[os.path.relpath(p, site.top)] not in shown]
    site.menu[2][1].extend(entry(os.path.relpath(p, site.top)) for p in others)
    site.menu = [group for group in site.menu if group[1]]


# ---- making it

def make_gallery(site, program, folder, address=""):
    """The pages of all examples in `folder`, with their figures. Returns how many figures."""
    examples = os.path.join(site.top, "examples")
    os.makedirs(folder, exist_ok=True)
    names = [n for n in gallery.names_of(examples)]
    figures = {name: gallery.figures_of(examples, name) for name in names}
    everything = [figure for name in names for figure in figures[name]]
    if site.figures:
        site.problems += gallery.draw_all(program, examples, folder, everything)
    for name in names:
        example_page(site, examples, name, figures[name], address)
    groups, listed = gallery.groups_of(examples), set()
    body = ["<h1>Gallery</h1><p class=lead>Every example of the repository: what it shows, its plots and its diagrams, drawn by the "
            "program from the text on the same page. They are grouped by field here; <a href=\"#papers\">below</a> is every figure "
            "of the five papers that has a counterpart.</p>"]
    for field, introduction, entries in groups:
        converter = Converter(site.resolver("examples/README.md", address + "index.html"))
        body.append(f'<h2>{html.escape(field)}</h2>{converter.convert(chr(10).join(introduction))}<div class="cards">')
        for name, text in entries:
            listed.add(name)
            if name in figures:
                title = first_heading(f"{examples}/{name}/README.md")
                body.append(gallery.card(name, figures[name], title, converter.inline(text)))
            else:
                body.append(f'<a class="card" href="{converter.resolve(name)}"><strong>{name}</strong><span>{converter.inline(text)}</span></a>')
        body.append("</div>")
    site.problems += [f"examples/README.md does not list {name}" for name in names if name not in listed]
    body.append('<h2 id="papers">By paper</h2>' + gallery.paper_table(everything))
    site.write(address + "index.html", "Gallery", "\n".join(body), wide=True)
    return len(everything)


def example_page(site, examples, name, figures, address):
    source = f"examples/{name}/README.md"
    converter = Converter(site.resolver(source, f"{address}{name}.html"))
    text = converter.convert(gallery.read(f"{examples}/{name}/README.md"))
    title = converter.headings[0][1] if converter.headings else name
    heading, _, about = text.partition("</h1>")
    plots = "\n".join(f'<div id="{f.name}">{f.page()}</div>' for f in figures if not f.is_diagram)
    diagrams = "\n".join(f'<div id="{f.name}">{f.page()}</div>' for f in figures if f.is_diagram)
    model = highlight(gallery.read(f"{examples}/{name}/model.kai"))
    shown = f'<div class="code kai"><div class="file">examples/{name}/model.kai</div><pre><code>{model}</code></pre></div>'
    shown = site.live(name) if site.live else shown
    body = (f'<p><a href="index.html">Gallery</a></p>{heading}</h1>{about}<h2 id="figures">Figures</h2><div class="plots">{plots}{diagrams}</div>'
            f'<h2 id="model">The model</h2>{shown}')
    site.remember(title, f"{address}{name}.html", text)
    site.write(f"{address}{name}.html", title, body, wide=True)


def make_documents(site):
    for source, address in list(site.pages.items()):
        if source.endswith(".md") and not source.startswith("examples/") and os.path.exists(os.path.join(site.top, source)):
            site.document(source, address)
        elif source.endswith("README.md") and address.startswith("examples/"):
            site.document(source, address)
    for source in [s for s in site.pages if s.endswith(".svg")]:
        shutil.copy(os.path.join(site.top, source), os.path.join(site.folder, site.pages[source]))


def make_lists(site):
    for folder, kind, title, text, ending in (
            ("lib", "kai", "The library", "Models to import: <code>import \"electrical.kai\"</code>.", "lib/*.kai"),
            ("api", "c", "The C headers", "What <code>#include &lt;kairos/kairos.h&gt;</code> gives.", "include/kairos/*.h")):
        rows = []
        for path in sorted(glob.glob(os.path.join(site.top, ending))):
            source = os.path.relpath(path, site.top)
            about = site.source(source, site.pages[source], kind)
            name = os.path.basename(path)
            rows.append(f'<tr><td><a href="{name}.html">{name}</a></td><td>{html.escape(about)}</td></tr>')
        site.write(f"{folder}/index.html", title, f'<h1>{title}</h1><p>{text}</p><div class="wide"><table><tbody>{"".join(rows)}</tbody></table></div>')
    if "docs/decisions/README.md" not in site.pages:
        entries = [(first_heading(os.path.join(site.top, s)), a) for s, a in sorted(site.pages.items())
                   if s.startswith("docs/decisions/") and s.endswith(".md")]
        items = "".join(f'<li><a href="{os.path.basename(a)}">{html.escape(t)}</a></li>' for t, a in entries)
        site.write("decisions/index.html", "Decisions", f"<h1>Decisions</h1><p>What was decided, and why.</p><ul>{items}</ul>")


def copy_frame(site):
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("site.css", "site.js"):
        shutil.copy(os.path.join(here, name), os.path.join(site.folder, name))
    with open(os.path.join(site.folder, "search-index.js"), "w", encoding="utf-8") as file:
        file.write("window.searchIndex = " + json.dumps(site.sections, ensure_ascii=False).replace("</", "<\\/") + ";\n")


def make(top, program, folder, only_gallery, figures):
    if not os.access(program, os.X_OK):
        print(f"make-docs: {program} is not there: run make", file=sys.stderr)
        return 1
    site = Site(top, folder)
    site.figures = figures
    site.program = program
    plan(site)
    os.makedirs(folder, exist_ok=True)
    if only_gallery:
        site.pages = {k: (v[len("gallery/"):] if v.startswith("gallery/") else "index.html") for k, v in site.pages.items()}
        count = make_gallery(site, program, folder)
    else:
        make_menu(site)
        make_documents(site)
        make_lists(site)
        count = make_gallery(site, program, os.path.join(folder, "gallery"), "gallery/")
    copy_frame(site)
    if not only_gallery:
        site.check_links()
    for problem in site.problems:
        print(f"make-docs: {problem}", file=sys.stderr)
    pages = len(glob.glob(folder + "/**/*.html", recursive=True))
    print(f"make-docs: {pages} pages, {count} figures in {folder}/index.html")
    return 1 if site.problems else 0
