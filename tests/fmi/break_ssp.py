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
change("empty", "<ssd:Component name=\"source\"", "<ssd:System name=\"inner\"/><ssd:Component name=\"source\"", "the system has no elements")
change("elements", "ssd:Elements>", "ssd:Elephants>", "SystemStructure.ssd:")
change("itself", 'Component name="source" type="application/x-fmu-sharedlibrary" source="resources/Source.fmu"',
       'Component name="source" type="application/x-ssp-definition" source="SystemStructure.ssd"', "SystemStructure.ssd contains itself")
inside = """<a version="1.0" name="a"><System name="a"><Elements><Component name="b" type="application/x-ssp-definition" source="%s"/></Elements></System></a>"""
inside = inside.replace("<a ", "<SystemStructureDescription ").replace("</a>", "</SystemStructureDescription>")
text = files[ssd].decode().replace('type="application/x-fmu-sharedlibrary" source="resources/Source.fmu"', 'type="application/x-ssp-definition" source="one.ssd"', 1)
keep("circle", {**files, ssd: text, "one.ssd": inside % "two.ssd", "two.ssd": inside % "one.ssd"}, "one.ssd contains itself")
keep("no-part", {**files, ssd: text}, "there is no one.ssd in the archive")
keep("no-system", {**files, ssd: text, "one.ssd": "<a/>"}, "one.ssd describes no system")
keep("part-xml", {**files, ssd: text, "one.ssd": "<a>"}, "one.ssd:1: ")
change("type", 'type="application/x-fmu-sharedlibrary"', 'type="application/x-ssp-package"', "source is of type application/x-ssp-package")
change("implementation", 'implementation="any"', 'implementation="Real"', 'there is no implementation "Real"')
change("dictionary", "<ssd:Elements>", '<ssd:SignalDictionaries/><ssd:Elements>', "signal dictionaries are not understood")
change("reference", "<ssd:Elements>", '<ssd:Elements><ssd:SignalDictionaryReference name="d"/>', "signal dictionaries are not understood")
text = files[ssd].decode().replace('Connector name="u" kind="input"', 'Connector name="u" kind="inout"', 1)
wire = 'startElement="source" startConnector="y" endElement="first" endConnector="u"/>'
assert wire in text
keep("inout", {**files, ssd: text.replace(wire, 'endElement="source" endConnector="y" startElement="first" startConnector="u"><ssc:LinearTransformation/></ssd:Connection>', 1)},
     "has a transformation the other way")
change("base", "<ssd:ParameterBinding>", '<ssd:ParameterBinding source="a.ssv" sourceBase="folder">', 'there is no sourceBase "folder"')
change("base-file", "<ssd:ParameterBinding>", '<ssd:ParameterBinding source="a.ssv" sourceBase="component">', "there is no a.ssv in the archive")
change("values-type", "<ssd:ParameterBinding>", '<ssd:ParameterBinding type="text/csv" source="a.csv">', "values of type text/csv")
change("enumeration", 'ssv:Real value="2"', 'ssv:Enumeration value="red"', '"red" is a name of an enumeration that is nowhere defined')
text = files[ssd].decode().replace('<ssd:Component name="source"', '<ssd:System name="hollow"><ssd:Connectors><ssd:Connector name="y" kind="output"/></ssd:Connectors><ssd:Elements/></ssd:System><ssd:Component name="source"', 1)
keep("hollow", {**files, ssd: text.replace(wire, wire.replace('"source"', '"hollow"'), 1)}, "y of hollow has nothing to give")
change("two-connectors", 'Connector name="x[2]" kind="output"', 'Connector name="y" kind="output"', "second has two connectors y")
change("unit", 'Connector name="u" kind="input"><ssc:Real/>', 'Connector name="u" kind="input"><ssc:Real unit="furlong"/>', "the unit furlong is not defined")
text = files[ssd].decode().replace('Connector name="u" kind="input"', 'Connector name="k" kind="parameter"/><ssd:Connector name="u" kind="input"', 1)
keep("changes", {**files, ssd: text.replace('endElement="first" endConnector="u"', 'endElement="first" endConnector="k"', 1)},
     "the parameter k is connected to y, which changes")
change("no-connector", 'startElement="source" startConnector="y"', 'startElement="source" startConnector="z"', "source has no connector z")
change("no-end", ' endConnector="u"', "", "without endConnector")
change("transformation", 'endElement="first" endConnector="u"/>',
       'endElement="first" endConnector="u"><ssc:EnumerationMappingTransformation><ssc:MapEntry source="a" target="b"/></ssc:EnumerationMappingTransformation></ssd:Connection>',
       '"a" is a name of an enumeration')
change("other", 'endElement="first" endConnector="u"/>',
       'endElement="first" endConnector="u"><ssc:CubicTransformation/></ssd:Connection>', "CubicTransformation is not understood")
change("map-number", 'endElement="first" endConnector="u"/>',
       'endElement="first" endConnector="u"><ssc:IntegerMappingTransformation><ssc:MapEntry source="1.5" target="2"/></ssc:IntegerMappingTransformation></ssd:Connection>',
       "1.5 is no whole number")
change("factor", 'endElement="first" endConnector="u"/>', 'endElement="first" endConnector="u"><ssc:LinearTransformation factor="big"/></ssd:Connection>',
       'factor = "big" is no number')
change("stop", "<ssd:DefaultExperiment", '<ssd:DefaultExperiment startTime="7" stopTime="5"/><ssd:Later', "stopTime 5 is not behind startTime 7")
change("version", 'version="1.0" name="Chain"', 'version="2.0" name="Chain"', 'version "2.0" of SSP')
change("set-file", "<ssd:ParameterBinding>", '<ssd:ParameterBinding source="none.ssv">', "there is no none.ssv in the archive")
change("mapping", "<ssd:ParameterBinding>", '<ssd:ParameterBinding><ssd:ParameterMapping source="none.ssm"/>', "there is no none.ssm in the archive")
change("text", 'ssv:Real value="2"', 'ssv:String value="2"', "of type ssv:String")
change("truth", 'ssv:Real value="2"', 'ssv:Boolean value="maybe"', "maybe is no Boolean")
change("no-value", '<ssv:Real value="2"/>', "", "the parameter f has no value")
keep("set-xml", {**files, ssd: files[ssd].decode().replace("<ssd:ParameterBinding>", '<ssd:ParameterBinding source="x.ssv">', 1), "x.ssv": "<a"}, "x.ssv:1: ")
keep("set-other", {**files, ssd: files[ssd].decode().replace("<ssd:ParameterBinding>", '<ssd:ParameterBinding source="x.ssv">', 1), "x.ssv": "<a/>"},
     "x.ssv is no set of parameters")
print(count)
