#!/usr/bin/env python3
"""Measures terminal clients beside each other: one answer at a set pace, in tmux, while keys are typed.

    SCORELCTL=PROGRAM measure.py DIRECTORY [NAME…]     the directory has the peers' programs

`DELTAS` (20,000) and `RATE` (500 a second) set the answer. Each result is one line of JSON.
"""
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import model
import programs
from terminal import Terminal

# Between two keys, in seconds: slower than a person types.
KEY_PAUSE = 0.25
# Typed letters that are deleted again before they wrap.
LETTERS = 40


def echoes(terminal, seconds):
    """Milliseconds from a key to its letter on the screen, until the time is over."""
    took, typed, end = [], "", time.monotonic() + seconds
    while time.monotonic() < end:
        typed += "Q"
        begin = time.monotonic()
        terminal.types("Q")
        shown = terminal.wait(typed, 5)
        took.append((time.monotonic() - begin if shown is not None else 5) * 1000)
        time.sleep(KEY_PAUSE)
        if len(typed) == LETTERS:
            terminal.presses("BSpace", LETTERS)
            typed = ""
            time.sleep(KEY_PAUSE)
    return sorted(took)


def measured(name, directory, answer, port, place):
    home, work = Path(place) / "home", Path(place) / "work"
    home.mkdir(mode=0o700)
    work.mkdir()
    program = programs.ALL[name](directory, home, work, port)
    terminal = Terminal(home, work)
    try:
        terminal.start(program)
        painted = terminal.wait(program.ready, 30)
        if painted is None:
            return {"program": name, "problem": "it shows no composer", "screen": terminal.screen()}
        # What a program does after its first picture is not the answer's.
        time.sleep(3)
        terminal.record()
        processor = terminal.processor()
        terminal.types(model.TRIGGER)
        time.sleep(0.5)
        terminal.presses("Enter")
        # A line break directly before other keys is a pasted one to some programs.
        time.sleep(0.5)
        seconds = answer.deltas / answer.rate
        took = echoes(terminal, seconds - 2.5)
        time.sleep(6)
        return {
            "program": name,
            "firstPaintMs": round(painted * 1000),
            "bytesPerTextByte": round(terminal.bytes.stat().st_size / answer.bytes, 2),
            "processorMs": round((terminal.processor() - processor) * 1000),
            "memoryMiB": round(terminal.memory(), 1),
            "keyToEchoMs": {"p50": round(took[len(took) // 2]), "p95": round(took[len(took) * 95 // 100])},
        }
    finally:
        left = terminal.processes()
        terminal.close()
        for pid in left + daemons(home):
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass


def daemons(home):
    """The daemon that `scorelctl` has left running."""
    try:
        return [json.loads((home / ".scorel/daemon.json").read_text())["pid"]]
    except FileNotFoundError:
        return []


def main():
    directory, names = Path(sys.argv[1]), sys.argv[2:] or list(programs.ALL)
    answer = model.Answer(int(os.environ.get("DELTAS", 20000)), int(os.environ.get("RATE", 500)))
    port = model.serve(answer)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="scp", ignore_cleanup_errors=True) as place:
            print(json.dumps(measured(name, directory, answer, port, place), ensure_ascii=False), flush=True)


main()
