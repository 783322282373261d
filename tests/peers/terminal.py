"""A program in tmux, 80 columns and 24 rows."""
import os
import subprocess
import time
from pathlib import Path


class Terminal:
    def __init__(self, home, work):
        self.socket, self.home, self.work = f"peers-{os.getpid()}", home, work
        self.bytes = home / "bytes"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "cat")
        self.tmux("set", "-g", "history-limit", "200000")

    def tmux(self, *words):
        command = ["tmux", "-L", self.socket, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.work).stdout

    def start(self, program):
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "TERM": "tmux-256color", "LANG": "C.UTF-8"}
        environment |= program.environment
        words = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *program.command]
        self.tmux("respawn-pane", "-k", "-c", self.work, *words)

    def record(self):
        """What the program writes from now on is counted."""
        self.tmux("pipe-pane", f"cat >'{self.bytes}'")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait(self, text, seconds):
        """The seconds until the screen shows the text; `None` if it does not in time."""
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            if text in self.screen():
                return time.monotonic() - begin
        return None

    def types(self, text):
        self.tmux("send-keys", "-l", text)

    def presses(self, key, times=1):
        self.tmux("send-keys", "-N", times, key)

    def processes(self):
        def tree(pid):
            yield pid
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                for child in children.read_text().split():
                    yield from tree(child)

        return list(tree(self.tmux("display", "-p", "#{pane_pid}").strip()))

    def processor(self):
        """Seconds of processor time of the program and its children."""
        ticks = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MiB that the program and its children hold, shared pages by share."""
        lines = (Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() for pid in self.processes())
        return sum(int(line.split()[1]) for rollup in lines for line in rollup if line.startswith("Pss:")) / 1024

    def close(self):
        self.tmux("kill-server")
