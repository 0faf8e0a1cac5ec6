# Markdown to HTML, as far as the documents of this house use it: headings, paragraphs, lists, tables, code, links, emphasis.
# Nothing but the standard library, so that the pages can be made wherever Python is.
import html
import re

WORDS = set("""model param state signal discrete input output event when if then else modes mode initial on do experiment of stop
expect within import function external return port bond connect record plot against sweep in from to by every and or not true
false unknown equation assert choose for switched resume entry exit solver rtol atol start halt emit""".split())


def highlight(text):
    """A model with its words, comments, numbers and strings marked."""
    pattern = re.compile(r'(//[^\n]*)|("[^"\n]*")|(\b\d[\d.]*(?:e[+-]?\d+)?\b)|([A-Za-z_]\w*)')

    def mark(match):
        comment, string, number, word = match.groups()
        kind = "c" if comment else "s" if string else "n" if number else "k" if word in WORDS else None
        escaped = html.escape(match.group(0), quote=False)
        return f'<span class="{kind}">{escaped}</span>' if kind else escaped

    pieces, last = [], 0
    for match in pattern.finditer(text):
        pieces.append(html.escape(text[last:match.start()], quote=False))
        pieces.append(mark(match))
        last = match.end()
    pieces.append(html.escape(text[last:], quote=False))
    return "".join(pieces)


def anchor_of(title, used):
    """The name of a heading in an address, as GitHub makes it."""
    name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", title).lower()).strip().replace(" ", "-")
    count = used.get(name, 0)
    used[name] = count + 1
    return name if count == 0 else f"{name}-{count}"


class Converter:
    """One page. `resolve` turns the target of a link into an address; `headings` is what the page has."""

    def __init__(self, resolve, after=None):
        self.resolve = resolve
        self.after = after  # hears every block of code, and may add something below it
        self.headings = []  # (level, title as text, anchor)
        self.used = {}

    # ---- inside a line

    def inline(self, text):
        codes = []

        def keep(match):
            codes.append("<code>" + html.escape(match.group(2).strip(), quote=False) + "</code>")
            return f"\x00{len(codes) - 1}\x00"

        def link(match):
            return f'<a href="{html.escape(self.resolve(html.unescape(match.group(2))))}">{match.group(1)}</a>'

        def image(match):
            return f'<img src="{html.escape(self.resolve(match.group(2)))}" alt="{match.group(1)}">'

        text = re.sub(r"(`+)(.+?)\1", keep, text)
        text = html.escape(text, quote=False)
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", image, text)
        text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^\s*][^*]*?)\*(?![\w*])", r"<em>\1</em>", text)
        text = re.sub(r"(?<!\w)_([^\s_][^_]*?)_(?!\w)", r"<em>\1</em>", text)
        text = re.sub(r"&lt;(https?://[^&]+)&gt;", r'<a href="\1">\1</a>', text)
        return re.sub(r"\x00(\d+)\x00", lambda m: codes[int(m.group(1))], text)

    # ---- blocks

    def convert(self, text):
        return self.blocks(text.expandtabs(4).split("\n"))

    def blocks(self, lines):
        out, i = [], 0
        while i < len(lines):
            taken = None
            for reader in (self.fence, self.heading, self.rule, self.table, self.listing, self.indented, self.quote):
                taken = reader(lines, i)
                if taken:
                    break
            if not taken and lines[i].strip():
                taken = self.paragraph(lines, i)
            if taken:
                out.append(taken[0])
                i = taken[1]
            else:
                i += 1
        return "\n".join(out)

    def fence(self, lines, i):
        if not lines[i].startswith("```"):
            return None
        words = lines[i][3:].split()
        end = i + 1
        while end < len(lines) and not lines[end].startswith("```"):
            end += 1
        body = "\n".join(lines[i + 1:end])
        kind = words[0] if words else ""
        marked = highlight(body) if kind == "kai" else html.escape(body, quote=False)
        name = f'<div class="file">{html.escape(words[1])}</div>' if len(words) > 1 else ""
        below = self.after(kind, words[1] if len(words) > 1 else "", body) if self.after else ""
        return f'<div class="code {kind}">{name}<pre><code>{marked}</code></pre></div>{below}', end + 1

    def heading(self, lines, i):
        match = re.match(r"(#{1,6}) +(.*?) *#*$", lines[i])
        if not match:
            return None
        level, inner = len(match.group(1)), self.inline(match.group(2))
        plain = html.unescape(re.sub(r"<[^>]+>", "", inner))
        anchor = anchor_of(match.group(2), self.used)
        self.headings.append((level, plain, anchor))
        return f'<h{level} id="{anchor}">{inner}</h{level}>', i + 1

    def rule(self, lines, i):
        return ("<hr>", i + 1) if re.match(r"^(---+|\*\*\*+)$", lines[i]) else None

    def cells(self, line):
        parts = re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", lambda m: m.group(0).replace("|", "\x01"), line.strip().strip("|")))
        return [self.inline(part.strip().replace("\x01", "|").replace("\\|", "|")) for part in parts]

    def table(self, lines, i):
        if not lines[i].startswith("|") or i + 1 >= len(lines) or not re.match(r"^\|[\s:|-]+$", lines[i + 1]):
            return None
        rows, end = [], i + 2
        while end < len(lines) and lines[end].startswith("|"):
            rows.append("<tr>" + "".join(f"<td>{c}</td>" for c in self.cells(lines[end])) + "</tr>")
            end += 1
        head = self.cells(lines[i])
        top = "<thead><tr>" + "".join(f"<th>{c}</th>" for c in head) + "</tr></thead>" if any(head) else ""
        return f'<div class="wide"><table>{top}<tbody>' + "\n".join(rows) + "</tbody></table></div>", end

    def listing(self, lines, i):
        match = re.match(r"^( {0,3})([-*]|\d+\.) +", lines[i])
        if not match:
            return None
        tag = "ol" if match.group(2)[0].isdigit() else "ul"
        items, end = [], i
        while end < len(lines):
            bullet = re.match(r"^( {0,3})([-*]|\d+\.)( +)", lines[end])
            if not bullet or (bullet.group(2)[0].isdigit()) != (tag == "ol"):
                break
            width = len(bullet.group(0))
            body = [lines[end][width:]]
            end += 1
            while end < len(lines):
                line = lines[end]
                if line.strip() == "" and end + 1 < len(lines) and lines[end + 1].startswith(" " * 2) and lines[end + 1].strip():
                    body.append("")
                elif line.startswith(" " * 2) and line.strip():
                    body.append(line[min(width, len(line) - len(line.lstrip())):])
                elif line.strip() and not re.match(r"^( {0,3})([-*]|\d+\.) +|^#|^```|^\|", line):
                    body.append(line)
                else:
                    break
                end += 1
            inner = self.blocks(body)
            if inner.count("<p>") == 1 and inner.startswith("<p>"):
                inner = inner.replace("<p>", "", 1).replace("</p>", "", 1)
            items.append(f"<li>{inner}</li>")
            while end < len(lines) and lines[end].strip() == "" and end + 1 < len(lines) and \
                    re.match(r"^( {0,3})([-*]|\d+\.) +", lines[end + 1]):
                end += 1
        return f"<{tag}>" + "\n".join(items) + f"</{tag}>", end

    def indented(self, lines, i):
        if not lines[i].startswith("    "):
            return None
        end = i
        while end < len(lines) and (lines[end].startswith("    ") or (lines[end].strip() == "" and
                end + 1 < len(lines) and lines[end + 1].startswith("    "))):
            end += 1
        body = "\n".join(line[4:] for line in lines[i:end])
        return f'<div class="code"><pre><code>{html.escape(body, quote=False)}</code></pre></div>', end

    def quote(self, lines, i):
        if not lines[i].startswith(">"):
            return None
        end = i
        while end < len(lines) and lines[end].startswith(">"):
            end += 1
        return "<blockquote>" + self.blocks([re.sub(r"^> ?", "", line) for line in lines[i:end]]) + "</blockquote>", end

    def paragraph(self, lines, i):
        end = i + 1
        while end < len(lines) and lines[end].strip() and not re.match(r"^(#{1,6} |```|\||>|( {0,3})[-*] )", lines[end]):
            end += 1
        return "<p>" + self.inline(" ".join(line.strip() for line in lines[i:end])) + "</p>", end
