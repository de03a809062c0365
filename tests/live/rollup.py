# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes slurmdbd sum up hours now, as it does by itself when an hour is over: python3 rollup.py LIBRARY CONF START END.

From START to the beginning of END's hour (s since the epoch). No command of Slurm does that, but its commands' library
does, libslurmfull.so.
"""
import ctypes
import sys


def main(library, conf, start, end):
    slurm = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)  # plugins look for its names
    slurm.slurm_init(conf.encode())
    slurm.slurmdb_connection_get.restype = ctypes.c_void_p
    flags = ctypes.c_uint16(0)
    connection = slurm.slurmdb_connection_get(ctypes.byref(flags))
    if not connection:
        sys.exit("no connection to slurmdbd")
    roll = slurm.slurmdb_usage_roll
    roll.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_uint16, ctypes.POINTER(ctypes.c_void_p)]
    result = roll(connection, int(start), int(end), 0, ctypes.byref(ctypes.c_void_p()))
    if result != 0:
        sys.exit(f"slurmdbd refused: error {result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
