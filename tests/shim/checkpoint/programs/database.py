# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a database, a transaction at a time."""
import sqlite3

base = sqlite3.connect("rows.db")
base.execute("pragma synchronous = off")
base.execute("create table rows (number integer primary key, text text)")
for block in range(15000):
    with base:
        base.executemany("insert into rows values (?, ?)",
                         [(block * 20 + i, f"row {block * 20 + i}") for i in range(20)])
assert base.execute("pragma integrity_check").fetchone() == ("ok",)
print("database", base.execute("select count(*), sum(number), sum(length(text)) from rows").fetchone())
