"""A client of `kairos lsp` for tests: messages of the Language Server Protocol over pipes, nothing but the standard library."""
import json
import subprocess


class Client:
    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.notes = []  # notifications that nobody has asked for yet

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        size = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server has gone")
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                size = int(value)
        return json.loads(self.process.stdout.read(size))

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def ask(self, method, **params):
        """The whole reply: `result` or `error`."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.next_id:
                return message
            self.notes.append(message)

    def diagnostics(self, uri):
        """The next ones of a text."""
        while True:
            for at, note in enumerate(self.notes):
                if note["method"] == "textDocument/publishDiagnostics" and note["params"]["uri"] == uri:
                    return self.notes.pop(at)["params"]
            self.notes.append(self.read())

    def start(self):
        reply = self.ask("initialize", processId=None, rootUri=None, capabilities={})
        self.notify("initialized")
        return reply["result"]

    def open(self, uri, text):
        self.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "kairos", "version": 1, "text": text})

    def change(self, uri, version, text):
        self.notify("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=[{"text": text}])

    def close(self):
        reply = self.ask("shutdown")
        self.notify("exit")
        return reply, self.process.wait(timeout=20)


def place(text, needle, nth=1, behind=False):
    """Position of the n-th `needle`, in UTF-16 as the protocol counts."""
    at = -1
    for _ in range(nth):
        at = text.index(needle, at + 1)
    at += len(needle) if behind else 0
    line = text.count("\n", 0, at)
    start = text.rfind("\n", 0, at) + 1
    return {"line": line, "character": len(text[start:at].encode("utf-16-le")) // 2}


def apply(text, edits):
    """The text with a list of TextEdits."""
    lines = text.split("\n")

    def offset(position):
        before = sum(len(line) + 1 for line in lines[: position["line"]])
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        return before + len(line.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le"))

    for edit in sorted(edits, key=lambda e: -offset(e["range"]["start"])):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text
