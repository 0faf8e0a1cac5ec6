# The gallery: every example as figures, with its diagrams beside the plots, grouped by field and by paper.
#
# An example takes part by itself: each of its experiments that has a `plot` line is a figure, and so are its schematic, bond graph
# or blocks, and its modes if it has any. A file `figures` in its folder says more, a line for each figure, fields separated by `|`:
#     name | paper's figure or - | options of kairos plot, or `prove` or `graph` and theirs | what to look at
# (a line with the name of an experiment and nothing in the third field replaces that experiment's own figure). Fields are those of
# examples/README.md.
import html
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor


class Figure:
    def __init__(self, example, name, paper, options, text):
        self.example, self.name, self.text = example, name, text
        self.paper = paper if paper not in ("-", "") else ""
        words = options.split()
        self.command = words[0] if words and words[0] in ("prove", "graph") else "plot"
        self.options = words[1:] if self.command != "plot" else words
        self.file = f"{example}-{name}.svg"

    @property
    def is_diagram(self):
        return self.command == "graph"

    def draw(self, program, examples, folder):
        """Draws it; a run that ends with a report (Zeno, a failed assertion) is drawn as far as it came. None, or what is wrong."""
        path = os.path.join(folder, self.file)
        call = [program, self.command, f"{self.example}/model.kai", "--allow-external", *self.options, "-o", path]
        call += ["--quiet"] if self.command == "plot" else []
        done = subprocess.run(call, cwd=examples, capture_output=True, text=True)
        if os.path.exists(path) and os.path.getsize(path) > 0:
            return None
        return f"no figure of {self.example}, {self.name}:\n{done.stderr}"

    def page(self):
        options = " ".join(self.options)
        paper = f"<b>{html.escape(self.paper)}.</b> " if self.paper else ""
        return (f'<figure{" class=diagram" if self.is_diagram else ""}><a href="{self.file}"><img src="{self.file}" alt="{html.escape(self.name)}" '
                f'loading="lazy"></a><figcaption>{paper}{html.escape(self.text)} <code>kairos {self.command} '
                f'examples/{self.example}/model.kai {html.escape(options)}</code></figcaption></figure>')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plotted(model):
    """The experiments of a model that have a `plot` line."""
    names, name = [], None
    for line in model.split("\n"):
        match = re.match(r"^experiment +(\w+)", line)
        if match:
            name = match.group(1)
        if name and re.search(r"(^|[ ;{])plot ", line) and name not in names:
            names.append(name)
        if line.startswith("}"):
            name = None
    return names


def figures_of(examples, example):
    """Those that are described, then the experiments that are not, then the diagrams that nobody described."""
    model, found = read(f"{examples}/{example}/model.kai"), []
    path = f"{examples}/{example}/figures"
    for line in read(path).split("\n") if os.path.exists(path) else []:
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 4 and fields[0] and not fields[0].startswith("#"):
            found.append(Figure(example, fields[0], fields[1], fields[2] or f"-e {fields[0]}", fields[3]))
    described = {figure.name for figure in found}
    found += [Figure(example, name, "-", f"-e {name}", "") for name in plotted(model) if name not in described]
    return found if any(figure.is_diagram for figure in found) else found + own_diagrams(example, model)


def own_diagrams(example, model):
    """What nobody described: parts or blocks, the bond graph of a model of parts, modes where the text has some."""
    found = [Figure(example, "diagram", "-", "graph", "What is in it.")]
    if "connect " in model:
        found.append(Figure(example, "bonds", "-", "graph --kind bonds", "Its bond graph, with causal strokes."))
    if re.search(r"\bmodes\b *\{|\bswitched\b", model):
        found.append(Figure(example, "modes", "-", "graph --kind modes", "Its modes."))
    return found


def names_of(examples):
    return sorted(name for name in os.listdir(examples) if os.path.exists(f"{examples}/{name}/model.kai"))


def groups_of(examples):
    """[(field, introduction, [(example, text)])] from examples/README.md."""
    groups = []
    for line in read(f"{examples}/README.md").split("\n"):
        item = re.match(r"^- \[([\w-]+)\]\([\w-]+\): (.*)", line)
        if line.startswith("## "):
            groups.append((line[3:], [], []))
        elif item and groups:
            groups[-1][2].append([item.group(1), item.group(2)])
        elif groups and groups[-1][2] and line.startswith("  "):
            groups[-1][2][-1][1] += " " + line.strip()
        elif groups and line.strip():
            groups[-1][1].append(line)
    return groups


def draw_all(program, examples, folder, figures):
    """All figures, in parallel. Returns what went wrong."""
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        results = pool.map(lambda figure: figure.draw(program, examples, folder), figures)
    return [result for result in results if result]


def card(example, figures, title, text):
    first = next((f for f in figures if not f.is_diagram), figures[0])
    papers = " ".join(sorted({f.paper for f in figures if f.paper}))
    return (f'<a class="card" href="{example}.html"><img src="{first.file}" alt="" loading="lazy"><strong>{html.escape(title)}</strong>'
            f'<span>{text}</span><small>{html.escape(papers)}</small></a>')


def paper_table(all_figures):
    """Every figure of the papers that has a counterpart here."""
    rows = []
    for figure in all_figures:
        match = re.match(r"Paper (\d+), (.*)", figure.paper)
        if match:
            number = re.search(r"\d+", match.group(2))
            rows.append((match.group(1), int(number.group(0)) if number else 0, match.group(2), figure))
    out, paper = [], None
    for number, _, name, figure in sorted(rows, key=lambda row: (row[0], row[1], row[2], row[3].file)):
        if number != paper:
            out.append(("</ul>" if paper else "") + f'<h3 id="paper-{number}">Paper {number}</h3><ul class="papers">')
            paper = number
        kind = "diagram" if figure.is_diagram else "figure"
        out.append(f'<li><a href="{figure.example}.html#{figure.name}">{html.escape(name)}</a> <small>{kind}, {figure.example}</small></li>')
    return "\n".join(out) + ("</ul>" if paper else "")
