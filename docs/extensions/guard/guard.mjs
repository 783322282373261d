// A guard and a redaction. Refuses commands that throw work away, and takes keys out of results.
import { createInterface } from "node:readline";

const REFUSED = [
  [/\bgit\s+reset\s+--hard\b/, "`git reset --hard` throws work away: commit or stash it first"],
  [/\brm\s+-[a-z]*r[a-z]*f?\s+[~/]/, "this removes a tree outside of the project"],
];
const KEY = /\b(sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{20,})\b/g;

function beforeToolCall({ input }) {
  const found = REFUSED.find(([pattern]) => pattern.test(input.command ?? ""));
  return found ? { decision: "deny", reason: found[1] } : {};
}

function afterToolCall({ content }) {
  const cut = content.replace(KEY, "[key]");
  return cut === content ? {} : { content: cut };
}

const hooks = { beforeToolCall, afterToolCall };
const methods = { initialize: () => ({}), "hook.run": (params) => hooks[params.hook](params) };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = { jsonrpc: "2.0", id, result: methods[method](params) };
  process.stdout.write(JSON.stringify(answer) + "\n");
}
