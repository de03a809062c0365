# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of timelines, whose format docs/reference/timeline.md tells."""
import base64
import json
import re
import zlib


def numbers_of(data, changes):
    """The whole numbers of a column."""
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if changes:
                value = (-(value + 1) // 2 if value % 2 else value // 2) + (out[-1] if out else 0)
            out.append(value)
            value = shift = 0
    return out


class Run:
    """`header`: the JSON object; `columns`: their numbers, by name."""

    def __init__(self, text):
        head, _, body = zlib.decompress(base64.b64decode(text)).partition(b"\n")
        self.header = json.loads(head)
        self.columns, at = {}, 0
        for column in self.header["columns"]:
            numbers = numbers_of(body[at:at + column["bytes"]], column["changes"])
            if len(numbers) != column["count"]:
                raise ValueError(f"{column['name']} has {len(numbers)} numbers, not {column['count']}")
            self.columns[column["name"]] = numbers
            at += column["bytes"]


def runs_of(page):
    """The runs of a page, in its order."""
    return [Run(text) for text in re.findall(r'<script [^>]*class="run">(.*?)</script>', page, re.DOTALL)]
