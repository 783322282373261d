// Speaks the Agent Client Protocol through the official library, as an editor does.
//     node acp.mjs SCORELCTL HOME DIRECTORY   (the daemon's model is `demo`, which reads a file)
import { spawn } from "node:child_process";
import { deepStrictEqual as equal, ok, rejects } from "node:assert";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [scorelctl, home, cwd] = process.argv.slice(2);
const { session } = methods.agent;

// One editor: the answer that it gives to questions, and what it is told.
const editor = (choose, work) => {
  const child = spawn(scorelctl, ["acp"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SCOREL_HOME: home },
  });
  const updates = [];
  const asked = [];
  const app = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return choose(params);
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  return app
    .connectWith(stream, async (agent) => {
      const known = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      equal(known.protocolVersion, 1);
      await work(agent, updates, asked);
    })
    .finally(() => child.kill());
};
const once = () => ({ outcome: { outcome: "selected", optionId: "once" } });
const never = () => new Promise(() => {});
const kinds = (updates) => [...new Set(updates.map((it) => it.sessionUpdate))];
const text = (value) => [{ type: "text", text: value }];
let sessionId;

await editor(once, async (agent, updates, asked) => {
  const created = await agent.request(session.new, { cwd, mcpServers: [] });
  sessionId = created.sessionId;
  equal(created.configOptions.map((it) => it.id), ["model", "thought_level", "runner"]);
  const set = await agent.request(session.setConfigOption, { sessionId, configId: "thought_level", value: "high" });
  equal(set.configOptions[1].currentValue, "high");
  const ended = await agent.request(session.prompt, { sessionId, prompt: text("What is here?") });
  equal(ended.stopReason, "end_turn");
  ok(asked.length >= 1);
  equal(asked[0].options.map((it) => it.kind).at(0), "allow_once");
  equal(asked[0].options.map((it) => it.kind).at(-1), "reject_once");
  for (const kind of ["agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "available_commands_update"]) {
    ok(kinds(updates).includes(kind), kind);
  }
  await rejects(agent.request(session.close, { sessionId }), { code: -32601 });
});
console.log("acp.mjs: a conversation");

await editor(never, async (agent, updates, asked) => {
  await agent.request(session.load, { sessionId, cwd, mcpServers: [] });
  ok(updates.some((it) => it.sessionUpdate === "user_message_chunk" && it.content.text === "What is here?"));
  const prompt = agent.request(session.prompt, { sessionId, prompt: text("And now?") });
  while (asked.length === 0) await new Promise((tick) => setTimeout(tick, 10));
  await agent.notify(session.cancel, { sessionId });
  equal((await prompt).stopReason, "cancelled");
});
console.log("acp.mjs: loaded, and cancelled");

await editor(once, async (agent, updates) => {
  await agent.request(session.resume, { sessionId, cwd, mcpServers: [] });
  ok(!kinds(updates).includes("user_message_chunk"));
  const listed = await agent.request(session.list, { cwd });
  equal(listed.sessions.map((it) => it.sessionId), [sessionId]);
  await agent.request(session.delete, { sessionId });
  equal((await agent.request(session.list, { cwd })).sessions, []);
});
console.log("acp.mjs: resumed, listed and deleted");
