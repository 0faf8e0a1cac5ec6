"""Makes a wheel of the module (PEP 517) with what is there: CMake, Ninja and a C compiler. It needs no other package, so that
`pip install ./python` works in a fresh virtual environment without the network. KAIROS_BUILD names a build folder to take the
files from; otherwise one is made."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
NAME = "kairos"


def version() -> str:
    """As CMakeLists.txt has it."""
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(kairos VERSION ([0-9.]+)", text).group(1)


def platform_tag() -> str:
    """The module uses the stable interface of Python 3.11: one file for all later versions."""
    return "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def build(folder: pathlib.Path) -> None:
    """Compiles the module and its parts."""
    if not (SOURCE / "src").is_dir():
        raise SystemExit("install from the folder python of the sources of Kairos: the core is beside it")
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DKAIROS_TESTS=OFF"],
                   check=True)
    subprocess.run(["cmake", "--build", folder], check=True)


def files_of(folder: pathlib.Path):
    """(name in the wheel, path): the module, its parts, the models of the library."""
    module = folder / "python" / NAME
    if not (module / "_kairos.abi3.so").exists():
        raise SystemExit(f"{module} has no module: python3-dev was missing when it was built")
    for pattern in ("*.py", "*.pyi", "py.typed", "_kairos.abi3.so", "lib/**/libkairos-*.so", "share/kairos/lib/**/*.kai"):
        for path in sorted(glob(module, pattern)):
            yield NAME + "/" + str(path.relative_to(module)), path


def glob(folder: pathlib.Path, pattern: str):
    """Like Path.glob, through links to folders too."""
    if "**" not in pattern:
        yield from folder.glob(pattern)
        return
    top, name = pattern.split("/**/")
    for place, _, names in os.walk(folder / top, followlinks=True):
        for found in names:
            path = pathlib.Path(place) / found
            if path.match(name):
                yield path


def record_line(name: str, data: bytes) -> str:
    """A line of RECORD: name, check sum, size."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def metadata() -> dict:
    """The files of the dist-info folder."""
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
                    "Summary: Simulates systems that flow and jump\nRequires-Python: >=3.11\nRequires-Dist: numpy\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: kairos\nRoot-Is-Purelib: false\nTag: {platform_tag()}\n",
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    given = os.environ.get("KAIROS_BUILD")
    folder = pathlib.Path(given).resolve() if given else pathlib.Path(tempfile.mkdtemp(prefix="kairos-build-"))
    try:
        if not given:
            build(folder)
        return write_wheel(pathlib.Path(wheel_directory), folder)
    finally:
        if not given:
            shutil.rmtree(folder, ignore_errors=True)


def write_wheel(directory: pathlib.Path, folder: pathlib.Path) -> str:
    """The wheel itself: a ZIP file."""
    name = f"{NAME}-{version()}-{platform_tag()}.whl"
    info = f"{NAME}-{version()}.dist-info/"
    record = ""
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for member, path in files_of(folder):
            data = path.read_bytes()
            wheel.writestr(member, data)
            record += record_line(member, data)
        for member, text in metadata().items():
            wheel.writestr(info + member, text)
            record += record_line(info + member, text.encode())
        wheel.writestr(info + "RECORD", record + f"{info}RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The sources are the whole repository; a wheel is made from there."""
    raise SystemExit("install from the sources of Kairos: pip install ./python")
