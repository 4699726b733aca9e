"""Sweeps that are killed or stopped at some moment, and what they leave behind."""

import signal

# A shell has what it starts in the background ignore Ctrl-C, and so would all that is started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
