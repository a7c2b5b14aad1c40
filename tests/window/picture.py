# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the screen: reads the frame buffer that Xvfb writes to a file (XWD format), writes PNG."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

# Fields of the XWD header (32 bits each, big-endian) that are needed here.
HEADER_SIZE, WIDTH, HEIGHT, BITS_PER_PIXEL, BYTES_PER_LINE, COLOURS = 0, 4, 5, 11, 12, 19
COLOUR_BYTES = 12


@dataclass(frozen=True)
class Picture:
    """Rows from the top, three bytes (red, green, blue) per pixel."""

    width: int
    height: int
    rows: list[bytes]

    def cut(self, left: int, bottom: int, width: int, height: int) -> Picture:
        """A part of the picture, with coordinates from the lower left corner, as Blender's regions have."""
        top = self.height - bottom - height
        rows = [row[left * 3 : (left + width) * 3] for row in self.rows[max(top, 0) : top + height]]
        return Picture(width, len(rows), rows)

    def colours(self) -> int:
        """The number of different colours."""
        return len({row[i : i + 3] for row in self.rows for i in range(0, len(row), 3)})

    def brightness(self) -> float:
        """The mean of all values, 0 to 1."""
        return sum(map(sum, self.rows)) / (self.width * self.height * 3 * 255)

    def save(self, path: Path) -> None:
        """Writes a PNG file."""

        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(b"\0" + row for row in self.rows), 6)
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def of_screen(frame_buffer: Path) -> Picture:
    """The current picture of the screen."""
    content = frame_buffer.read_bytes()
    header = struct.unpack(">25I", content[:100])
    assert header[BITS_PER_PIXEL] == 32, "Xvfb was asked for 24 colour bits, kept in 32"
    start = header[HEADER_SIZE] + header[COLOURS] * COLOUR_BYTES
    width, line = header[WIDTH], header[BYTES_PER_LINE]
    rows = []
    for number in range(header[HEIGHT]):
        raw = content[start + number * line : start + number * line + width * 4]
        row = bytearray(width * 3)
        # Stored as blue, green, red, unused on the little-endian machines that Blender runs on.
        row[0::3], row[1::3], row[2::3] = raw[2::4], raw[1::4], raw[0::4]
        rows.append(bytes(row))
    return Picture(width, header[HEIGHT], rows)
