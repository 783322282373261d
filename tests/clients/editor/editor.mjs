// Holds a short conversation through vscode-jsonrpc: message headers, requests, notifications.
import assert from "node:assert/strict";
import net from "node:net";
import rpc from "vscode-jsonrpc/node.js";

const [socketPath, project] = process.argv.slice(2);
const socket = net.createConnection(socketPath);
const connection = rpc.createMessageConnection(
  new rpc.SocketMessageReader(socket),
  new rpc.SocketMessageWriter(socket),
);
const events = [];
const waiting = new Map();
const next = (type) => new Promise((resolve) => waiting.set(type, resolve));
const caughtUp = next("sync_end");
const done = next("turn_outcome");
connection.onNotification("event", ({ result }) => {
  events.push(result);
  waiting.get(result.type)?.(result);
});
connection.listen();

const status = await connection.sendRequest("getStatus");
assert.equal(status.defaultModel, "demo/demo");
const { project: registered } = await connection.sendRequest("registerProject", {
  workDir: project,
});
const { sessionId } = await connection.sendRequest("createSession", {
  projectId: registered.projectId,
});
const subscription = await connection.sendRequest("subscribeEvents", { sessionId });
// Until the subscription has caught up it sends records only.
await caughtUp;
const sent = await connection.sendRequest("sendMessage", { sessionId, content: "What is here?" });
assert.equal(sent.status, "accepted");
const outcome = await done;
assert.equal(outcome.reason, "completed");
const text = events.filter((event) => event.type === "text_delta").map((event) => event.delta);
assert.match(text.join(""), /README\.md/);
const byPosition = rpc.ParameterStructures.byPosition;
const ended = await connection.sendRequest("unsubscribeEvents", byPosition, subscription);
assert.equal(ended, true);
await assert.rejects(connection.sendRequest("nonsense"), (error) => error.code === -32601);
await assert.rejects(
  connection.sendRequest("getSession", { sessionId: "x" }),
  (error) => error.code === -32602 && error.data.code === "invalid_params",
);
connection.end();
connection.dispose();
console.log("vscode-jsonrpc: ok");
