"""The language server as an editor sees it. usage: lsp.py PROGRAM FOLDER"""
import os
import sys

from lsp_client import Client, apply, place

BALL = """// Fällt und springt 🏀
model Ball "bounces" {
  param g [m/s^2] = 9.81 "gravity"
  param e = 0.8
  state y [m] = 1 "height", v [m/s] = 0
  event hit = down(y)
  y' = v; v' = -g
  when hit { v := -e*v }
}
model Two {
  a : Ball(e = 0.5)
  signal gap = a.y
}
experiment bounce of Ball { stop = 5[s]; solver = rk45; expect time_of(hit, 1) ~ sqrt(2/9.81) within 1e-9 }
"""
URI = "file:///tmp/b%C3%A4ll%20one.kai"


def main():
    client = Client(sys.argv[1])
    # Nothing is answered before `initialize`.
    assert client.ask("textDocument/hover")["error"]["code"] == -32002
    server = client.start()
    assert server["capabilities"]["renameProvider"] and server["serverInfo"]["name"] == "kairos"
    client.open(URI, BALL)
    said = client.diagnostics(URI)
    assert said["diagnostics"] == [] and said["version"] == 1, said

    def about(method, text, needle, nth=1, behind=False, **more):
        reply = client.ask("textDocument/" + method, textDocument={"uri": URI}, position=place(text, needle, nth, behind), **more)
        return reply.get("result", reply.get("error"))

    diagnostics(client)
    hover(about)
    where(about)
    completion(client, about)
    rename(about)
    outline_and_layout(client)
    actions(client)
    imports(client)
    strange(client)
    reply, code = client.close()
    assert reply["result"] is None and code == 0, code
    without_shutdown = Client(sys.argv[1])
    without_shutdown.start()
    without_shutdown.notify("exit")
    assert without_shutdown.process.wait(timeout=20) == 1


def diagnostics(client):
    wrong = BALL.replace("-g\n", "-gg\n")
    client.change(URI, 2, wrong)
    said = client.diagnostics(URI)["diagnostics"]
    assert len(said) >= 1 and all("gg" in d["message"] for d in said), said
    one = said[0]
    assert one["range"] == {"start": place(wrong, "gg"), "end": place(wrong, "gg", behind=True)}, one
    assert one["severity"] == 1 and one["code"] == "K020" and "help: did you mean `g`?" in one["message"]
    # Characters count in UTF-16: the message stands behind a ball that takes two of them.
    odd = BALL.replace("model Two {", 'model Two "🏀🏀" { signal s = zz')
    client.change(URI, 3, odd)
    found = [d for d in client.diagnostics(URI)["diagnostics"] if "`zz`" in d["message"]]
    assert found and found[0]["range"]["start"] == place(odd, "zz"), found
    # A burst of changes is checked once it ends, and the last text counts.
    for version in range(4, 40):
        client.change(URI, version, wrong if version % 2 == 0 else BALL)
    while True:
        said = client.diagnostics(URI)
        if said["version"] == 39:
            break
    assert said["diagnostics"] == []


def hover(about):
    text = about("hover", BALL, "-g", behind=True)["contents"]["value"]
    assert "param g [m/s^2] = 9.81" in text and "gravity" in text and "model Ball" in text, text
    assert "state y [m] = 1 at the start" in about("hover", BALL, "y'")["contents"]["value"]
    assert "down(x)" in about("hover", BALL, "down")["contents"]["value"]
    setting = about("hover", BALL, "solver")["contents"]["value"]
    assert "rosenbrock" in setting and "auto" in setting, setting
    assert about("hover", BALL, "{") is None


def where(about):
    definition = about("definition", BALL, "a.y", behind=True)
    assert definition["range"] == {"start": place(BALL, "y [m]"), "end": place(BALL, " [m]")}, definition
    assert definition["uri"] == URI
    assert about("definition", BALL, "Ball(e")["range"]["start"] == place(BALL, "Ball")
    uses = about("references", BALL, "e = 0.8", context={"includeDeclaration": True})
    starts = [u["range"]["start"] for u in uses]
    assert starts == [place(BALL, "e = 0.8"), place(BALL, "e*v"), place(BALL, "e = 0.5")], starts
    assert len(about("references", BALL, "e = 0.8", context={"includeDeclaration": False})) == 2


def completion(client, about):
    items = {i["label"]: i for i in about("completion", BALL, "-g", behind=True)}
    assert items["g"]["detail"] == "param [m/s^2]" and items["g"]["documentation"] == "gravity", items["g"]
    # While somebody types: a name behind a dot, in a text that cannot be parsed.
    typed = BALL.replace("signal gap = a.y", "signal gap = a.")
    client.change(URI, 50, typed)
    items = {i["label"]: i for i in about("completion", typed, "= a.", behind=True)}
    assert {"g", "e", "y", "v", "hit"} <= set(items) and "sin" not in items and "gap" not in items, sorted(items)
    assert items["y"]["detail"] == "state [m]" and items["y"]["documentation"] == "height"
    typed = BALL.replace("solver = rk45", "solver = ta")
    client.change(URI, 51, typed)
    assert [i["label"] for i in about("completion", typed, "solver = ta", behind=True)] == ["taylor"]
    typed = BALL.replace("stop = 5[s]; solver", "max_; solver")
    client.change(URI, 52, typed)
    assert "max_step" in [i["label"] for i in about("completion", typed, "max_", behind=True)]
    typed = BALL.replace("// F", "// v F")
    client.change(URI, 53, typed)
    assert about("completion", typed, "// v", behind=True) == []
    client.change(URI, 54, BALL)


def rename(about):
    edit = about("rename", BALL, "e = 0.8", newName="bounce_back")
    changed = apply(BALL, edit["changes"][URI])
    assert changed == BALL.replace("param e", "param bounce_back").replace("-e*v", "-bounce_back*v").replace("(e = 0.5", "(bounce_back = 0.5"), changed
    for bad in ["v", "model", "9a", "a b", ""]:
        assert "message" in about("rename", BALL, "e = 0.8", newName=bad), bad


def outline_and_layout(client):
    symbols = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})["result"]
    assert [s["name"] for s in symbols] == ["Ball", "Two", "bounce"], symbols
    assert [s["name"] for s in symbols[0]["children"]] == ["g", "e", "y", "v", "hit"]
    assert symbols[0]["range"]["end"] == place(BALL, "model Two") | {"line": place(BALL, "model Two")["line"] - 1, "character": 1}
    # Every kind of declaration is in the outline.
    kinds = "model All {\n  param a = 1\n  state b = 1\n  discrete c = 1\n  unknown d = 1\n  equation d == a\n  signal e = b\n  event f = up(b)\n  input g\n  output h = b\n  b' = 0\n}\n"
    client.change(URI, 59, kinds)
    symbols = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})["result"]
    assert [s["name"] for s in symbols[0]["children"]] == list("abcdefgh"), symbols
    untidy = BALL.replace("  param e = 0.8", "param    e=0.8")
    client.change(URI, 60, untidy)
    edits = client.ask("textDocument/formatting", textDocument={"uri": URI}, options={})["result"]
    tidy = apply(untidy, edits)
    assert "  param e = 0.8\n" in tidy, tidy
    client.change(URI, 61, tidy)
    assert client.ask("textDocument/formatting", textDocument={"uri": URI}, options={})["result"] == []
    client.change(URI, 62, "model {")
    assert "error" in client.ask("textDocument/formatting", textDocument={"uri": URI}, options={})


def actions(client):
    wrong = BALL.replace("-g\n", "-gg\n")
    client.change(URI, 70, wrong)
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    ask = lambda: client.ask("textDocument/codeAction", textDocument={"uri": URI}, range=everywhere, context={"diagnostics": []})["result"]
    found = ask()
    assert found and found[0]["kind"] == "quickfix", found
    assert apply(wrong, found[0]["edit"]["changes"][URI]) == BALL
    client.change(URI, 71, BALL.replace("param e", "parameter e"))
    assert any(apply(BALL.replace("param e", "parameter e"), a["edit"]["changes"][URI]) == BALL for a in ask())
    # Help that is no text to put there is not offered.
    client.change(URI, 72, BALL.replace("y' = v; ", ""))
    assert ask() == [] and client.ask("textDocument/codeAction", textDocument={"uri": URI}, range=everywhere)["result"] == []


def imports(client):
    folder = os.path.realpath(sys.argv[2])
    with open(os.path.join(folder, "ball.kai"), "w") as file:
        file.write(BALL)
    text = 'import "ball.kai"\nmodel Three {\n  b : Ball()\n  signal s = b.y\n}\n'
    uri = "file://" + os.path.join(folder, "three.kai")
    client.open(uri, text)
    assert client.diagnostics(uri)["diagnostics"] == []
    at = place(text, "b.y", behind=True)
    location = client.ask("textDocument/definition", textDocument={"uri": uri}, position=at)["result"]
    assert location["uri"].endswith("/ball.kai") and location["range"]["start"] == place(BALL, "y [m]"), location
    renames(client, folder, uri, text)
    # A text reads nothing outside its folder.
    client.change(uri, 3, 'import "/etc/passwd"\n')
    assert any("K" in d["code"] for d in client.diagnostics(uri)["diagnostics"])
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    while client.diagnostics(uri)["diagnostics"]:
        pass


def renames(client, folder, uri, text):
    """A name gets another one in every text that uses it, also in those that are not open; or in none."""
    os.makedirs(os.path.join(folder, "deep"))
    deep = 'import "../ball.kai"\nmodel Deep { c : Ball(); signal s = c.y; signal y = 3 }\n'
    unrelated = "model Other { state y = 1; y' = 0 }\n"
    for name, body in [("deep/four.kai", deep), ("other.kai", unrelated)]:
        with open(os.path.join(folder, name), "w") as file:
            file.write(body)

    def ask(needle, name, **more):
        return client.ask("textDocument/rename", textDocument={"uri": uri}, position=place(text, needle, behind=True), newName=name)

    def named(path):
        return "file://" + os.path.join(folder, path)

    # Only the folder of the text is looked at: no folder is open.
    near = ask("b.y", "height")["result"]["changes"]
    assert set(near) == {uri, named("ball.kai")}, near.keys()
    assert apply(text, near[uri]) == text.replace("b.y", "b.height")
    assert "y'" not in apply(BALL, near[named("ball.kai")]) and "height' = v" in apply(BALL, near[named("ball.kai")])
    client.ask("initialize", processId=None, rootUri="file://" + folder, capabilities={})
    far = ask("b.y", "height")["result"]["changes"]
    assert set(far) == {uri, named("ball.kai"), named("deep/four.kai")}, far.keys()
    assert apply(deep, far[named("deep/four.kai")]) == deep.replace("c.y", "c.height")
    assert apply(text, ask("Ball", "Sphere")["result"]["changes"][uri]) == text.replace("Ball", "Sphere")
    # Taken in the text that declares it; taken in one that imports it, open or not.
    for needle, name in [("b.y", "v"), ("Ball", "Three"), ("Ball", "Deep")]:
        assert "taken" in ask(needle, name)["error"]["message"], name
    # What the editor has counts, not what the disk has.
    client.open(named("deep/four.kai"), deep.replace("c.y", "c.v"))
    assert set(ask("b.y", "height")["result"]["changes"]) == {uri, named("ball.kai")}
    client.notify("textDocument/didClose", textDocument={"uri": named("deep/four.kai")})
    # Not in the library.
    client.change(uri, 2, 'import "electrical.kai"\nmodel Three { r : Resistor(R = 1) }\n')
    refused = client.ask("textDocument/rename", textDocument={"uri": uri}, position={"line": 1, "character": 20}, newName="Widerstand")
    assert "electrical.kai" in refused["error"]["message"], refused
    client.ask("initialize", processId=None, rootUri=None, capabilities={})


def strange(client):
    assert client.ask("textDocument/unheardOf")["error"]["code"] == -32601
    assert client.ask("textDocument/hover", textDocument={"uri": "file:///not/open"}, position={})["error"]["code"] == -32602
    for body in [b"{", b"[1,2", b'"', b"[" * 5000, b'{"method":3}', b"[]", b'{"id":1,"method":"textDocument/hover","params":[[]]}', b"\xff\xfe"]:
        client.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    client.process.stdin.flush()
    for position in [{"line": -1, "character": 0}, {"line": 10**8, "character": 10**8}, {"line": "x"}, {}]:
        client.ask("textDocument/hover", textDocument={"uri": URI}, position=position)
        client.ask("textDocument/completion", textDocument={"uri": URI}, position=position)
    for text in ["", "\n", "\x00model", "model M { " + "(" * 5000, "é" * 1000, '"']:
        client.change(URI, 90, text)
        for method in ["hover", "completion", "documentSymbol", "formatting", "definition", "references"]:
            client.ask("textDocument/" + method, textDocument={"uri": URI}, position={"line": 0, "character": 3})


main()
