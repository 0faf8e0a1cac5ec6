# A tutorial is walked through while its page is made: its files are written, its commands run, and the figures that they draw stand
# below them. What the commands print is held against the page by tests/cli/walkthrough.sh, not here.
import html
import os
import re
import shutil
import subprocess
import tempfile


class Walk:
    """`address` is that of the page; figures go beside it, into figures/."""

    def __init__(self, program, top, folder, address):
        self.place = tempfile.mkdtemp()
        os.symlink(os.path.join(top, "examples"), os.path.join(self.place, "examples"))
        self.environment = dict(os.environ, PATH=os.path.dirname(program) + ":" + os.environ.get("PATH", ""))
        self.stem = os.path.basename(address)[:-len(".html")]
        self.figures = os.path.join(folder, os.path.dirname(address), "figures")

    def after(self, kind, name, body):
        """A block of code has been read: what is to be shown below it."""
        if name and kind in ("kai", "c"):
            with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
                file.write(body + "\n")
        return self.run(body) if kind == "sh" else ""

    def run(self, body):
        drawn = []
        for line in body.split("\n"):
            if re.match(r"^(kairos|sed) ", line):
                subprocess.run(line.split("# exit")[0], shell=True, cwd=self.place, env=self.environment, capture_output=True, timeout=120)
            drawn += re.findall(r"^kairos (?:plot|graph) .*-o (\S+\.(?:svg|html))", line)
        return "".join(self.show(name) for name in drawn if os.path.exists(os.path.join(self.place, name)))

    def show(self, name):
        os.makedirs(self.figures, exist_ok=True)
        target = f"{self.stem}-{name}"
        shutil.copy(os.path.join(self.place, name), os.path.join(self.figures, target))
        if name.endswith(".html"):
            return f'<p class="open"><a href="figures/{target}">Open {html.escape(name)}</a></p>'
        return (f'<figure class="walked"><a href="figures/{target}"><img src="figures/{target}" alt="{html.escape(name)}" loading="lazy"></a>'
                f'<figcaption>{html.escape(name)}</figcaption></figure>')

    def close(self):
        shutil.rmtree(self.place, ignore_errors=True)
