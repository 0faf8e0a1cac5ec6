# make_ssp.py FOLDER SYSTEM: a system (SSP) of the FMUs in FOLDER, with everything that connects and parameterizes one: systems within, one of them in a
# file of its own, parameters as connectors, sets inline, in a file with a mapping and inside an FMU, units of FMUs and of connectors, transformations, enumerations, connectors without a direction.
import io
import sys
import zipfile

folder, target = sys.argv[1:]


def fmu(name, changes=(), more={}):
    with zipfile.ZipFile(f"{folder}/{name}.fmu") as z:
        files = {n: z.read(n) for n in z.namelist()}
    text = files["modelDescription.xml"].decode()
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    files["modelDescription.xml"] = text.encode()
    files.update(more)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for n, data in files.items():
            z.writestr(n, data)
    return out.getvalue()


kilometres = ('<Unit name="m">\n      <BaseUnit m="1"/>', '<Unit name="m">\n      <BaseUnit m="1" factor="1000"/>')
head = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" version="1.0" name="%s">
"""
units = """  <ssd:Units>
    <ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>
    <ssc:Unit name="km"><ssc:BaseUnit m="1" factor="1000"/></ssc:Unit>
    <ssc:Unit name="m/s"><ssc:BaseUnit m="1" s="-1"/></ssc:Unit>
    <ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>
  </ssd:Units>
"""


def connector(name, kind, unit=None, names=None):
    real = f'<ssc:Real unit="{unit}"/>' if unit else f'<ssc:Enumeration name="{names}"/>' if names else "<ssc:Real/>"
    return f'<ssd:Connector name="{name}" kind="{kind}">{real}</ssd:Connector>'


def connectors(*list):
    return "<ssd:Connectors>" + "".join(connector(*c) for c in list) + "</ssd:Connectors>"


def component(name, file, *ports, more="", type="application/x-fmu-sharedlibrary", implementation=""):
    return (f'<ssd:Component name="{name}" type="{type}" source="{file}"{implementation}>' + connectors(*ports) + more + "</ssd:Component>\n")


def wire(start, end, inside="", more=""):
    def side(word, text):
        element, dot, port = text.rpartition(".")
        return (f'{word}Element="{element}" ' if dot else "") + f'{word}Connector="{port}"'

    return f"<ssd:Connection {side('start', start)} {side('end', end)}{more}>{inside}</ssd:Connection>\n"


# From outside and from within x has no direction; in it comes from the ramp, out it goes from there too, and one end is turned round.
node = (
    '<ssd:System name="node">' + connectors(("x", "inout"), ("z", "inout"), ("loose", "inout")) + "<ssd:Elements>"
    + component("gain", "resources/Gain.fmu", ("u", "inout"), ("y", "inout")) + "</ssd:Elements><ssd:Connections>"
    + wire("gain.u", "x") + wire("z", "gain.y") + "</ssd:Connections></ssd:System>\n"
)
lights = """  <ssd:Enumerations><ssc:Enumeration name="Lamp"><ssc:Item name="off" value="0"/><ssc:Item name="on" value="1"/></ssc:Enumeration>
    <ssc:Enumeration name="Colour"><ssc:Item name="green" value="3"/><ssc:Item name="red" value="7"/></ssc:Enumeration></ssd:Enumerations>
"""
names = '<ssc:EnumerationMappingTransformation><ssc:MapEntry source="off" target="green"/><ssc:MapEntry source="on" target="red"/></ssc:EnumerationMappingTransformation>'
linear = '<ssc:LinearTransformation factor="2" offset="3"/>'
number = "resources/my%20number.fmu"
inner = (
    '<ssd:System name="inner">' + connectors(("u", "input", "m"), ("y", "output", "m"), ("g", "parameter")) + "<ssd:Elements>"
    + component("gain", "resources/Gain.fmu", ("k", "parameter"), ("u", "input"), ("y", "output"))
    + "</ssd:Elements><ssd:Connections>" + wire("u", "gain.u", linear) + wire("gain.y", "y") + wire("g", "gain.k") + "</ssd:Connections></ssd:System>\n"
)
ssd = head % "Everything" + (
    '  <ssd:System name="Everything">' + connectors(("speed", "parameter", "m/s"), ("extra", "input", "m"), ("far", "output", "m"), ("warm", "output")) + "<ssd:Elements>\n"
    + component("ramp", "resources/Ramp.fmu", ("slope", "parameter"), ("y", "output"))
    + component("kilo", "resources/Kilo.fmu", ("u", "input"), ("y", "output"), implementation=' implementation="ModelExchange"')
    + component("plain", number, ("u", "input", "km"), ("y", "output", "km"))
    + component("twice", number, ("u", "input", "km"))
    + component("naked", number, ("u", "input", "m"))
    + component("cold", number, ("u", "input", "degC"), ("y", "output"))
    + component("hot", "./resources/Warm.fmu", ("y", "output"))
    + component("lamp", "resources/Switch.fmu", ("on_", "output", None, "Lamp"))
    + component("map", number, ("u", "input"))
    + component("set", number, ("u", "input", "km"), more="""<ssd:ParameterBindings><ssd:ParameterBinding prefix="u"><ssd:ParameterValues>
        <ssv:ParameterSet version="1.0" name="s"><ssv:Parameters><ssv:Parameter name=""><ssv:Real value="7"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
        </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>""")
    + component("colour", number, ("u", "input", None, "Colour"))
    + component("named", number, ("u", "input", None, "Colour"), more="""<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
        <ssv:ParameterSet version="1.0" name="s"><ssv:Parameters><ssv:Parameter name="u"><ssv:Enumeration value="green"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
        </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>""")
    + component("bound", "resources/Bound.fmu", ("u", "input"), more='<ssd:ParameterBindings><ssd:ParameterBinding source="resources/own.ssv" sourceBase="component"/></ssd:ParameterBindings>')
    + component("hub", number, ("u", "input"))
    + node
    + inner
    + component("sub", "sub.ssd", ("u", "input"), type="application/x-ssp-definition")
    + """</ssd:Elements><ssd:ParameterBindings>
      <ssd:ParameterBinding source="values.ssv"><ssd:ParameterMapping source="map.ssm"/></ssd:ParameterBinding>
      <ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="s"><ssv:Parameters>
        <ssv:Parameter name="speed"><ssv:Real value="36" unit="km/h"/></ssv:Parameter>
        <ssv:Parameter name="sub.gain.k"><ssv:Integer value="4"/></ssv:Parameter>
      </ssv:Parameters><ssv:Units><ssc:Unit name="km/h"><ssc:BaseUnit m="1" s="-1" factor="0.27777777777777778"/></ssc:Unit></ssv:Units></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>
    </ssd:ParameterBindings><ssd:Connections>
"""
    + wire("speed", "ramp.slope") + wire("ramp.y", "kilo.u") + wire("ramp.y", "plain.u") + wire("plain.y", "far") + wire("ramp.y", "twice.u", linear)
    + wire("plain.y", "naked.u", more=' suppressUnitConversion="true"')
    + wire("hot.y", "cold.u") + wire("cold.y", "warm") + wire("ramp.y", "inner.u") + wire("inner.y", "sub.u")
    + wire("lamp.on_", "map.u", '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/><ssc:MapEntry source="false" target="true"/></ssc:BooleanMappingTransformation>')
    + wire("lamp.on_", "colour.u", names) + wire("node.x", "ramp.y") + wire("node.z", "hub.u", more=' suppressUnitConversion="true"')
    + "</ssd:Connections></ssd:System>\n" + lights + units + '  <ssd:DefaultExperiment startTime="0" stopTime="2"/>\n</ssd:SystemStructureDescription>\n'
)
sub = head % "Sub" + (
    '<ssd:System name="Sub">' + connectors(("u", "input"), ("y", "output")) + "<ssd:Elements>" + component("gain", "resources/Gain.fmu", ("u", "input"), ("y", "output"))
    + "</ssd:Elements><ssd:Connections>" + wire("u", "gain.u") + wire("gain.y", "y") + "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n"
)
values = """<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="v"><ssv:Parameters>
  <ssv:Parameter name="amplification"><ssv:Real value="5"/></ssv:Parameter><ssv:Parameter name="nobody"><ssv:Real value="1"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet>
"""
mapping = """<?xml version="1.0" encoding="UTF-8"?>
<ssm:ParameterMapping xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0">
  <ssm:MappingEntry source="amplification" target="inner.g"><ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry>
</ssm:ParameterMapping>
"""
with zipfile.ZipFile(target, "w") as z:
    z.writestr("SystemStructure.ssd", ssd)
    z.writestr("sub.ssd", sub)
    z.writestr("values.ssv", values)
    z.writestr("map.ssm", mapping)
    for name in ("Ramp", "Gain", "Warm", "Switch"):
        z.writestr(f"resources/{name}.fmu", fmu(name))
    z.writestr("resources/Kilo.fmu", fmu("Sink", [kilometres]))
    z.writestr("resources/my number.fmu", fmu("Number"))
    own = values.replace("amplification", "u").replace('<ssv:Parameter name="nobody"><ssv:Real value="1"/></ssv:Parameter>', "")
    z.writestr("resources/Bound.fmu", fmu("Number", more={"resources/own.ssv": own}))
