# SPDX-License-Identifier: GPL-2.0-or-later
"""A task of a parallel program: what MPI_Init, MPI_Barrier and MPI_Finalize do of PMIx, and a second of work."""
import ctypes
import os
import time


class Proc(ctypes.Structure):
    """pmix_proc_t"""
    _fields_ = [("nspace", ctypes.c_char * 256), ("rank", ctypes.c_uint32)]


def main():
    pmix = ctypes.CDLL("libpmix.so.2")
    me = Proc()
    begun = time.time()
    assert pmix.PMIx_Init(ctypes.byref(me), None, 0) == 0
    ready = time.time()
    end = time.process_time() + 1.0
    while time.process_time() < end:
        pass
    for _ in range(3):
        assert pmix.PMIx_Fence(None, 0, None, 0) == 0
    assert pmix.PMIx_Finalize(None, 0) == 0
    print(me.rank, os.environ["SLURMD_NODENAME"], begun, ready, time.time(), flush=True)


if __name__ == "__main__":
    main()
