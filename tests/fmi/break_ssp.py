# break_ssp.py SYSTEM FOLDER: broken copies of a system (SSP), each beside a file that holds what must be said of it. Prints how many.
import io
import sys
import zipfile

source, folder = sys.argv[1:]
with zipfile.ZipFile(source) as z:
    files = {n: z.read(n) for n in z.namelist()}
ssd = "SystemStructure.ssd"
count = 0


def keep(name, contents, says):
    global count
    with zipfile.ZipFile(f"{folder}/{name}.ssp", "w") as z:
        for n, data in contents.items():
            z.writestr(n, data)
    with open(f"{folder}/{name}.says", "w") as out:
        out.write(says)
    count += 1


def change(name, old, new, says):
    text = files[ssd].decode()
    assert old in text, name
    keep(name, {**files, ssd: text.replace(old, new, 1)}, says)


keep("no-description", {n: d for n, d in files.items() if n != ssd}, "there is no SystemStructure.ssd")
keep("no-fmu", {n: d for n, d in files.items() if n != "resources/Source.fmu"}, "there is no resources/Source.fmu")
keep("no-archive", {**files, "resources/Source.fmu": b"hello"}, "resources/Source.fmu: ")
keep("outside", {**files, "../x": b""}, "outside its folder")
change("xml", "</ssd:System>", "", "SystemStructure.ssd:")
change("root", "<ssd:SystemStructureDescription", "<ssd:Other", "SystemStructure.ssd:")
change("name", ' name="source" type', " type", "without name")
change("twice", 'Component name="first"', 'Component name="source"', "two components source")
change("connector", 'Connector name="x[2]"', 'Connector name="x[9]"', "has no variable x[9]")
change("kind", 'Connector name="u" kind="input"', 'Connector name="u" kind="output"', "is no output of its FMU")
change("word", 'Connector name="u" kind="input"', 'Connector name="u" kind="both"', "kind both")
change("component", 'startElement="source"', 'startElement="sauce"', "there is no component sauce")
change("end", 'endElement="first" endConnector="u"', 'endElement="first" endConnector="y"', "on the wrong end")
change("two-ends", 'endElement="second" endConnector="u"', 'endElement="first" endConnector="u"', "u has two connections")
change("parameter", 'Parameter name="f"', 'Parameter name="ff"', "has no variable ff")
change("value", 'Real value="2"', 'Real value="two"', "two is no number")
change("nested", "<ssd:Component name=\"source\"", "<ssd:System name=\"inner\"/><ssd:Component name=\"source\"", "systems within systems")
print(count)
