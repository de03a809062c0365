# SPDX-License-Identifier: GPL-2.0-or-later
import signal
import sys

from .cli import main


def end(number, _):
    """Ends as after an error, so that clusters are ended on the way out."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


signal.signal(signal.SIGTERM, end)
sys.exit(main())
