// The tools on sessions, by the npm SDK. Arguments: its directory, the program, and what that is run with.
import assert from "node:assert/strict";

const [sdk, command, ...args] = process.argv.slice(2);
const { Client } = await import(`${sdk}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/dist/esm/client/stdio.js`);

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));

async function call(name, input) {
  const result = await client.callTool({ name, arguments: input });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

const { tools } = await client.listTools();
assert.ok(!tools.some((tool) => tool.name === "answer_permission"));
const { projects } = await call("list_projects", {});
const { sessionId } = await call("create_session", { projectId: projects[0].projectId, title: "by the SDK" });
const sent = await call("send_message", { sessionId, text: "hi" });
const waited = await call("wait_turn", { sessionId, turnId: sent.turnId, timeoutSeconds: 50 });
assert.equal(waited.output, "hello");
const { events } = await call("read_events", { sessionId });
assert.ok(events.some((event) => event.type === "turn_outcome"));
const { sessions } = await call("list_sessions", { projectId: projects[0].projectId });
assert.ok(sessions.some((session) => session.title === "by the SDK"));

const long = await call("send_message", { sessionId, text: "take long" });
let told = 0;
const waiting = client.callTool(
  { name: "wait_turn", arguments: { sessionId, turnId: long.turnId, timeoutSeconds: 50 } },
  undefined,
  { onprogress: () => (told += 1) === 1 && call("cancel_turn", { sessionId, turnId: long.turnId }) },
);
const cancelled = (await waiting).structuredContent;
assert.ok(cancelled.isOver && cancelled.phase === "idle", JSON.stringify(cancelled));
const refused = await client.callTool({ name: "answer_permission", arguments: {} });
assert.ok(refused.isError);
await client.close();
console.log("done");
