# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the header and block structure of a .blend file without Blender.

Blender crashes on some files that it should refuse (4.5 on a file of 5.2), so a file is checked before it is opened.
Header and block layout: https://projects.blender.org/blender/blender, ``source/blender/blenloader/intern/readfile.cc``.
"""

from __future__ import annotations

import gzip
import importlib
import os
import re
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from ..messages import AssistantError, os_code

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
# BLENDER, pointer size (_ 4, - 8), byte order (v little, V big), version: "BLENDER-v405".
_HEADER_OLD = re.compile(rb"BLENDER([_-])([vV])(\d)(\d\d)")
# Since 5.0: BLENDER, header length, "-", layout version, byte order, version: "BLENDER17-01v0502".
_HEADER_NEW = re.compile(rb"BLENDER(\d\d)-(\d\d)v(\d\d)(\d\d)")
# More blocks than any real file has; bounds the time spent on a damaged one.
_MAX_BLOCKS = 50_000_000
_SKIP_CHUNK = 1 << 20


class BlendHeader(NamedTuple):
    """The version of the Blender that wrote the file, and the layout of its blocks."""

    version: tuple[int, int]
    block: struct.Struct
    length_field: int
    """Index of the block's length in ``block``."""

    @property
    def wrote(self) -> str:
        """The version as text, for example ``4.5``."""
        return f"{self.version[0]}.{self.version[1]}"


def check(path: Path, blender: tuple[int, int]) -> BlendHeader:
    """Raises if this Blender must not open the file.

    ``blender`` is the running version (major, minor). Raises AssistantError: ``file_not_found``, ``permission_denied``,
    ``not_a_blend``, ``newer_blend``, ``damaged_blend``.
    """
    try:
        if path.is_dir():
            raise AssistantError("not_a_blend", f"{path} is a folder.", "Choose a .blend file.")
        with _opened(path) as stream:
            header = _read_header(stream, path)
            if header.version > blender:
                raise AssistantError(
                    "newer_blend",
                    f"{path} was written by Blender {header.wrote}; this is Blender {blender[0]}.{blender[1]}.",
                    f"Use Blender {header.wrote} or newer (--blender {header.wrote}).",
                )
            _walk(stream, header, path)
            return header
    except OSError as error:
        code = os_code(error)
        hint = "Check the spelling of the path." if code == "file_not_found" else "Check the file's permissions."
        reason = "No such file" if code == "file_not_found" else f"Cannot read it ({error.strerror or error})"
        raise AssistantError(code, f"{reason}: {path}", hint) from error


def _read_header(stream: BinaryIO, path: Path) -> BlendHeader:
    """The header at the start of the content. Raises ``not_a_blend`` if there is none."""
    try:
        start = stream.read(12)
        if start.startswith(b"BLENDER") and not _HEADER_OLD.fullmatch(start):
            start += stream.read(5)
    except _decoding_errors():
        start = b""
    if match := _HEADER_OLD.fullmatch(start):
        pointer, order = (b"Q" if match[1] == b"-" else b"I"), ("<" if match[2] == b"v" else ">")
        # code, length, old address, structure, count
        return BlendHeader((int(match[3]), int(match[4])), struct.Struct(f"{order}4si{pointer.decode()}ii"), 1)
    if match := _HEADER_NEW.fullmatch(start):
        # code, structure, old address, length, count
        return BlendHeader((int(match[3]), int(match[4])), struct.Struct("<4siQqq"), 3)
    raise AssistantError("not_a_blend", f"{path} is not a Blender file.", "Name a file that Blender saved (.blend).")


def _walk(stream: BinaryIO, header: BlendHeader, path: Path) -> None:
    """Follows the blocks to the end mark, so that a truncated or overwritten file is refused before Blender
    opens it.
    """
    damaged = AssistantError(
        "damaged_blend", f"{path} is damaged or incomplete.", "Open a backup (.blend1) or an autosave of it."
    )
    unreadable: tuple[type[Exception], ...] = (struct.error, *_decoding_errors())
    described = False
    try:
        for _ in range(_MAX_BLOCKS):
            # The end mark of old files may be shorter than a block header.
            start = stream.read(header.block.size)
            if start[:4] == b"ENDB":
                if not described:
                    raise damaged
                return
            described = described or start[:4] == b"DNA1"
            length = header.block.unpack(start)[header.length_field]
            if length < 0 or not _skip(stream, length):
                raise damaged
    except unreadable as error:
        raise damaged from error
    raise damaged


def _skip(stream: BinaryIO, length: int) -> bool:
    """Skips ``length`` bytes; returns False if the stream ends before."""
    if length == 0:
        return True
    if stream.seekable() and not isinstance(stream, gzip.GzipFile):
        if stream.tell() + length > os.fstat(stream.fileno()).st_size:
            return False
        stream.seek(length, os.SEEK_CUR)
        return True
    while length:
        piece = stream.read(min(length, _SKIP_CHUNK))
        if not piece:
            return False
        length -= len(piece)
    return True


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Opens the file for reading; its content is decompressed on the fly."""
    with path.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic.startswith(_GZIP):
            with gzip.GzipFile(fileobj=raw) as stream:
                yield cast(BinaryIO, stream)
        elif magic == _ZSTD:
            with _zstd_reader(raw) as stream:
                yield stream
        else:
            yield raw


def _zstd_reader(raw: BinaryIO) -> BinaryIO:
    try:
        import zstandard
    except ImportError:
        return _zstd_of_python().open(raw, "rb")
    # Blender writes one frame after the other, and a seek table in a skippable one.
    return cast(BinaryIO, zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=False))


def _decoding_errors() -> tuple[type[Exception], ...]:
    """The exceptions that reading a damaged compressed stream may raise."""
    zstd: Any
    try:
        zstd = importlib.import_module("zstandard")
    except ImportError:
        zstd = importlib.import_module("compression.zstd") if sys.version_info >= (3, 14) else None
    return (EOFError, zlib.error, gzip.BadGzipFile, *((zstd.ZstdError,) if zstd else ()))


def _zstd_of_python() -> Any:
    """The module of Python 3.14 and later."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        raise AssistantError(
            "core_missing",
            "This Python cannot read compressed .blend files.",
            "Install the package zstandard, or save the file without compression.",
        ) from None
