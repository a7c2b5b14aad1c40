# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks wheels that are shipped and takes the machine that built them out of them; packs the extension the same way.

``shipped.py wheel WHEEL ROOT CRATES TIME SBOM``: the wheel uses only what every system of its platform has, and names
neither the checkout ROOT nor cargo's folder CRATES; its list of components (CycloneDX) is also written to SBOM.
``shipped.py zip ZIP TIME``: the same files in the order of their names, at TIME, readable by everyone.
``shipped.py exports MODULE DLL``: the DLL has all that the module, which is for Windows, imports from one of its name.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import math
import re
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

# The newest symbols that manylinux_2_28 has, and its libraries.
NEWEST = {"GLIBC": (2, 28), "GCC": (8, 0, 0)}
LINUX = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1"}
LINUX |= {"ld-linux-x86-64.so.2", "libutil.so.1"}
# What every Windows 10 has, and Blender's own Python.
WINDOWS = {"advapi32", "bcrypt", "bcryptprimitives", "combase", "crypt32", "cryptbase", "iphlpapi", "kernel32"}
WINDOWS |= {"msvcrt", "ncrypt", "ntdll", "ole32", "oleaut32", "psapi", "python3", "rpcrt4", "secur32", "shell32"}
WINDOWS |= {"ktmw32", "user32", "userenv", "winhttp", "ws2_32"}
SYSTEM = re.compile(r"api-ms-win-[a-z0-9-]+|vcruntime140(_1)?|ucrtbase")


def main() -> None:
    """Does what the first argument says; ends with a sentence if a wheel would not load everywhere."""
    what, path, *rest = sys.argv[1:]
    if what == "exports":
        exports(Path(path), Path(*rest))
        return
    if what == "zip":
        (when,) = rest
        pack(Path(path), read(Path(path)), when)
        return
    root, crates, when, sbom = rest
    files = read(Path(path))
    for name, data in files.items():
        if name.endswith((".so", ".pyd")):
            wrong = [*imported(name, data), *left(data, [root, crates])]
            if wrong:
                sys.exit(f"{Path(path).name}, {name}: {'; '.join(wrong)}.")
    clean(files, root, when, Path(sbom))
    pack(Path(path), files, when)


def read(path: Path) -> dict[str, bytes]:
    """The files of an archive by their names, sorted."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in sorted(archive.namelist()) if not name.endswith("/")}


def imported(name: str, data: bytes) -> list[str]:
    """What a library needs that not every system of its platform has."""
    if name.endswith(".pyd"):
        return windows(data)
    return linux(data) if data.startswith(b"\x7fELF") else []


def linux(data: bytes) -> list[str]:
    """The same on Linux."""
    from elftools.elf.elffile import ELFFile

    file = ELFFile(io.BytesIO(data))
    needed = {tag.needed for tag in file.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")}
    versions = set()
    section = file.get_section_by_name(".gnu.version_r")
    for _, symbols in section.iter_versions() if section else ():
        versions |= {symbol.name for symbol in symbols}
    glibc = [one for one in by_age(versions) if one.startswith("GLIBC_")]
    print(f"newest symbol of glibc: {glibc[-1] if glibc else 'none'}; libraries: {', '.join(sorted(needed))}")
    return [
        *(f"it needs the library {one}" for one in sorted(needed - LINUX)),
        *(f"it needs {one}" for one in newer(versions)),
    ]


def by_age(versions: set[str]) -> list[str]:
    """The versions of symbols, the oldest first; those without a number (``GLIBC_PRIVATE``) last."""
    return sorted(versions, key=lambda one: (number(one) is None, number(one) or (), one))


def newer(versions: set[str]) -> list[str]:
    """Which versions of symbols manylinux_2_28 does not have, or does not promise: those without a number."""
    return [one for one in by_age(versions) if (number(one) or (math.inf,)) > NEWEST.get(one.split("_")[0], (-1,))]


def number(version: str) -> tuple[int, ...] | None:
    """The number of a version, such as 2, 28 of ``GLIBC_2.28``."""
    found = re.fullmatch(r"[A-Z]+_(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else None


def windows(data: bytes) -> list[str]:
    """The same on Windows."""
    import pefile

    file = pefile.PE(data=data)
    tables = ("DIRECTORY_ENTRY_IMPORT", "DIRECTORY_ENTRY_DELAY_IMPORT")
    entries = [entry for table in tables for entry in getattr(file, table, ())]
    needed = {entry.dll.decode().lower().removesuffix(".dll"): len(entry.imports) for entry in entries}
    print("libraries: " + ", ".join(f"{name} ({count})" for name, count in sorted(needed.items())))
    return [f"it needs {one}.dll" for one in sorted(needed) if one not in WINDOWS and not SYSTEM.fullmatch(one)]


def exports(module: Path, library: Path) -> None:
    """Ends with a sentence if the library lacks something that the module imports from one of its name."""
    import pefile

    (entry,) = (
        entry for entry in pefile.PE(module).DIRECTORY_ENTRY_IMPORT if entry.dll.decode().lower() == library.name
    )
    offered = {symbol.name for symbol in pefile.PE(library).DIRECTORY_ENTRY_EXPORT.symbols}
    wanted = {symbol.name for symbol in entry.imports}
    missing = sorted(name.decode() for name in wanted - offered)
    if missing:
        sys.exit(f"{library} lacks {', '.join(missing)}, which {module.name} imports.")
    print(f"{module.name} imports {len(wanted)} names of {library.name}, which has them all and {len(offered)} in all")


def left(data: bytes, paths: list[str]) -> list[str]:
    """Which paths of the machine are left in a library."""
    return [f"it contains the path {path}" for path in paths if path.encode() in data]


def clean(files: dict[str, bytes], root: str, when: str, sbom: Path) -> None:
    """Takes paths and times out of the list of components, and corrects the wheel's record of its files."""
    (listed,) = (name for name in files if name.endswith(".cyclonedx.json"))
    text = files[listed].decode().replace(Path(root).as_uri(), "file:///geonode")
    document: dict[str, Any] = json.loads(text)
    document.pop("serialNumber", None)
    document["metadata"]["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(when)))
    files[listed] = json.dumps(document, indent=1, sort_keys=True).encode()
    sbom.write_bytes(files[listed])
    (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    lines = io.StringIO()
    for name in files:
        data = files[name]
        known = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        csv.writer(lines, lineterminator="\n").writerow(
            (name, "", "") if name == record else (name, f"sha256={known}", len(data))
        )
    files[record] = lines.getvalue().encode()


def pack(path: Path, files: dict[str, bytes], when: str) -> None:
    """Writes an archive whose bytes depend on nothing but the files, whole or not at all."""
    moment = time.gmtime(int(when))[:6]
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as new:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data in files.items():
                about = zipfile.ZipInfo(name, moment)
                about.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
                about.create_system, about.external_attr = 3, 0o100644 << 16
                archive.writestr(about, data, compresslevel=9)
    Path(new.name).chmod(0o644)
    Path(new.name).replace(path)


if __name__ == "__main__":
    main()
