# break.py GOOD2.fmu GOOD3.fmu FOLDER: writes broken FMUs into FOLDER, each with what the message about it must say in NAME.says.
import io, struct, sys, zipfile

good2, good3, folder = sys.argv[1:]
count = 0


def keep(name, data, says):
    global count
    count += 1
    path = f"{folder}/{count:02d}-{name}"
    open(path + ".fmu", "wb").write(data)
    open(path + ".says", "w").write(says)


def read(path):
    with zipfile.ZipFile(path) as z:
        return {n: z.read(n) for n in z.namelist()}


def pack(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for n, data in files.items():
            z.writestr(n, data)
    return out.getvalue()


def change(name, old, new, says, source=good2, times=1):
    files = read(source)
    text = files["modelDescription.xml"].decode()
    assert old in text, (name, old)
    files["modelDescription.xml"] = text.replace(old, new, times).encode()
    keep(name, pack(files, zipfile.ZIP_STORED), says)  # what is packed is tried below


whole = open(good2, "rb").read()
files = read(good2)
xml = "modelDescription.xml"
binary = "binaries/linux64/Ball.so"

# archives
keep("empty", b"", "no zip archive")
keep("text", b"model Ball { }", "no zip archive")
keep("half", whole[: len(whole) // 2], "no zip archive")
keep("tail", whole[len(whole) // 2 :], "the archive")
keep("one-byte-less", whole[:-1], "cut off")
keep("up", pack({**files, "../evil": b"x"}), "outside its folder")
keep("up-inside", pack({**files, "resources/../../evil": b"x"}), "outside its folder")
keep("absolute", pack({**files, "/tmp/evil": b"x"}), "outside its folder")
keep("backslash", pack({**files, "..\\evil": b"x"}).replace(b"../evil", b"..\\evil"), "outside its folder")
keep("bomb", pack({**files, "resources/bomb": b"\0" * (60 << 20)}), "that is no FMU")
lies = bytearray(pack({**files, "resources/lies": b"\0" * 5000}))
at = lies.rfind(b"PK\x01\x02")
keep("lying-size", bytes(lies).replace(struct.pack("<II", len(lies), 5000), b"", 0)[: at + 24] + struct.pack("<I", 0x7FFFFFFF) + bytes(lies)[at + 28 :], "that is no FMU")
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as z:
    for n, data in files.items():
        z.writestr(n, data)
    link = zipfile.ZipInfo("resources/link")
    link.external_attr = 0o120777 << 16
    z.writestr(link, "/etc/passwd")
keep("link", out.getvalue(), "symbolic link")
import warnings

warnings.simplefilter("ignore")
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as z:
    for n, data in files.items():
        z.writestr(n, data)
    z.writestr(xml, files[xml])
keep("twice", out.getvalue(), "twice")
damaged = bytearray(whole)
damaged[whole.index(b"<fmiModel") + 5] ^= 1
keep("checksum", bytes(damaged), "is damaged")
packed = bytearray(pack(files))
start = packed.index(xml.encode()) + len(xml)
for i in range(start + 50, start + 90):
    packed[i] ^= 0x55
keep("deflate", bytes(packed), "is damaged")
keep("bzip2", pack(files, zipfile.ZIP_BZIP2), "packed by method 12")
encrypted = bytearray(pack({xml: files[xml]}))
encrypted[encrypted.rindex(b"PK\x01\x02") + 8] |= 1
keep("encrypted", bytes(encrypted), "encrypted")
moved = bytearray(pack({xml: files[xml]}))
moved[moved.rindex(b"PK\x01\x02") + 42] = 9
keep("moved", bytes(moved), "not where its directory says")
counted = bytearray(pack({xml: files[xml]}))
end = counted.rindex(b"PK\x05\x06")
counted[end + 8] = counted[end + 10] = 7
keep("counted", bytes(counted), "its directory ends after 1 of 7")

# files
keep("no-description", pack({n: d for n, d in files.items() if n != xml}), "no modelDescription.xml")
keep("no-binary", pack({xml: files[xml]}), "neither binaries nor sources")
keep("not-elf", pack({**files, binary: b"hello"}), "no shared object")
keep("cut-elf", pack({**files, binary: files[binary][:4000]}), "no shared object")
keep("no-symbol", pack({**files, binary: files[binary].replace(b"fmi2DoStep\0", b"fmi2DoStop\0")}), "lacks the function fmi2DoStep")
keep("no-states", pack({**files, binary: files[binary].replace(b"fmi2SetTime\0", b"fmi2SatTime\0")}), "lacks the function fmi2SetTime")

# XML
change("doctype", "<fmiModelDescription", '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<fmiModelDescription', "document type")
change("entity", 'modelName="Ball"', 'modelName="&ball;"', "an entity")
change("not-closed", "</ModelVariables>", "", "is no XML")
change("attribute-twice", 'modelName="Ball"', 'modelName="Ball" modelName="B"', "twice")
change("deep", "</ModelVariables>", "<a>" * 500 + "</a>" * 500 + "</ModelVariables>", "nested too deeply")
change("quote", 'modelName="Ball"', "modelName=Ball", "in quotes")

# descriptions
change("version", 'fmiVersion="2.0"', 'fmiVersion="1.0"', "2.0 and 3.0 are understood")
change("no-guid", " guid=", " gold=", "guid is missing")
change("identifier", 'modelIdentifier="Ball"', 'modelIdentifier="../Ball"', "a name of C")
change("times", 'stopTime="5"', 'stopTime="-5"', "is not behind startTime")
change("number", 'stopTime="5"', 'stopTime="soon"', "is no number")
change("same-name", 'name="e"', 'name="g"', "two variables are called g")
change("reference", 'valueReference="2"', 'valueReference="-2"', "no valueReference")
change("causality", 'causality="parameter"', 'causality="perimeter"', "there is no causality")
change("parameter", 'causality="parameter" variability="fixed"', 'causality="parameter" variability="continuous"', "is fixed or tunable")
change("no-start", ' start="1"', "", "needs a start value")
change("start", 'initial="exact"', 'initial="calculated"', "must not have a start value", times=9)
change("start-text", 'start="1"', 'start="high"', "none of its type")
change("unit", 'unit="m/s"', 'unit="knots"', "is not defined")
change("type", 'declaredType="modes of mode"', 'declaredType="colours"', "is not defined")
change("derivative", 'derivative="5"', 'derivative="500"', "refers to no variable")
change("cycle", 'derivative="5"', 'derivative="11"', "in a cycle")
rate = '<Unknown index="11" dependencies="6" dependenciesKind="discrete"/>'
change("rates", rate, "", "is missing in Derivatives", times=1)
change("rates-twice", rate, '<Unknown index="12"/>', "twice")
change("not-a-rate", rate, '<Unknown index="2"/>', "does not belong into Derivatives")
change("no-index", rate, '<Unknown index="0"/>', "refers to no variable")
change("dependencies", rate, '<Unknown index="11" dependencies="6 77"/>', "refers to no variable")
change("kinds", rate, '<Unknown index="11" dependencies="6" dependenciesKind="constant fixed"/>', "as many dependenciesKind")
change("indicators", 'numberOfEventIndicators="1"', 'numberOfEventIndicators="-1"', "is no number")
change("structure", "ModelStructure>", "ModelStruktur>", "ModelStructure is missing", times=2)
change("variables", "ModelVariables>", "ModelVariabeln>", "ModelVariables is missing", times=2)
change("reference-3", 'valueReference="2"', 'valueReference="1"', "another variable has the value reference", good3)
change("derivative-3", 'derivative="4"', 'derivative="444"', "refers to no variable", good3)
change("indicator-3", "<EventIndicator valueReference=", '<EventIndicator valueReference="999" x=', "refers to no variable", good3)
change("token-3", " instantiationToken=", " token=", "instantiationToken is missing", good3)
print(count)
