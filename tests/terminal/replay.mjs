// Shows a recording to VS Code's terminal, and prints what it then holds as one JSON text.
//
// Standard input has one JSON text a line: `{"columns", "rows"}` for the first size and each later one, and
// `{"write"}` with what the program wrote, a character a byte.
import { createInterface } from "node:readline";
import xterm from "@xterm/headless";

const terminal = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 100_000, allowProposedApi: true });
let replies = "";
terminal.onData((text) => (replies += text));

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  if (step.write === undefined) {
    terminal.resize(step.columns, step.rows);
  } else {
    // A write ends when it is parsed: a change of size must not overtake it.
    await new Promise((parsed) => terminal.write(Buffer.from(step.write, "latin1"), parsed));
  }
}

const active = terminal.buffer.active;
const lines = [];
for (let row = 0; row < active.length; row++) {
  const line = active.getLine(row);
  const text = line.translateToString(true);
  if (line.isWrapped) lines[lines.length - 1] += text;
  else lines.push(text);
}
console.log(JSON.stringify({ lines, buffer: active.type, modes: terminal.modes, replies }));
