# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts in a file mapped into memory, shared with a child; and in a deleted one."""
import mmap
import os
import struct

SIZE, ROUNDS = 1 << 20, 6000000
with open("kept.bin", "w+b") as kept, open("deleted.bin", "w+b") as deleted:
    maps = []
    for file in (kept, deleted):
        file.truncate(SIZE)
        maps.append(mmap.mmap(file.fileno(), SIZE))
    os.unlink("deleted.bin")
    child = os.fork()
    own = maps[0 if child else 1]
    for i in range(ROUNDS):
        place = i * 8 % SIZE
        own[place:place + 8] = struct.pack("<Q", struct.unpack("<Q", own[place:place + 8])[0] + i)
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    print("mapped", *(sum(struct.unpack(f"<{SIZE // 8}Q", each[:])) for each in maps))
