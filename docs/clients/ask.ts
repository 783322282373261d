// Asks an agent and prints its answer, across restarts of the daemon: node ask.ts SOCKET DIRECTORY MESSAGE
// Node 22.18 and newer runs this file as it is; for an older one, compile it with `tsc`.
import { randomInt, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import * as rpc from "vscode-jsonrpc/node.js";

type Json = Record<string, any>;
const [socketPath, directory, text] = process.argv.slice(2);
const typed = createInterface(process.stdin)[Symbol.asyncIterator]();
const session = new EventEmitter(); // "change": something happened in it, or the connection is gone
let connection: rpc.MessageConnection | undefined;
let sessionId: string | undefined, outcome: string | undefined;
let questions = new Map<string, Json>(), asked = new Set<string>();
let anchors: Json = {}, caughtUp = false;
const printed = new Map<string, number>(); // how much of each block of text is on the screen

const idFile = `${homedir()}/.scorel-ask-ts`; // the id of this installation: made once, and kept
if (!existsSync(idFile)) {
  const digits = Array.from({ length: 25 }, () => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[randomInt(32)]);
  writeFileSync(idFile, "cli_0" + digits.join(""));
}
const clientId = readFileSync(idFile, "utf8");

/** Calls until there is an answer. However often that is, the command is applied once. */
async function command(method: string, params: Json): Promise<any> {
  const commandId = randomUUID();
  for (;;) {
    const used = connection ?? (await connect());
    try {
      return await used.sendRequest(method, { ...params, commandId });
    } catch (error) {
      if (used === connection) throw error; // the daemon refused it
    }
  }
}

/** Connects, as soon as a daemon listens, and subscribes to the session. */
async function connect(): Promise<rpc.MessageConnection> {
  for (;;) {
    try {
      const socket = createConnection(socketPath);
      await once(socket, "connect");
      const [reader, writer] = [new rpc.SocketMessageReader(socket), new rpc.SocketMessageWriter(socket)];
      const made = (connection = rpc.createMessageConnection(reader, writer));
      made.onNotification("event", ({ result }) => apply(result));
      made.onClose(() => disconnect(made));
      made.listen();
      await made.sendRequest("hello", { clientId, protocol: { min: 1, max: 1 } });
      if (sessionId) await made.sendRequest("subscribeEvents", { sessionId, ...anchors });
      return made;
    } catch (error) {
      if (connection) throw error; // the daemon refused it
      await sleep(100);
    }
  }
}

function disconnect(ended = connection) {
  if (ended === connection) connection = undefined;
  ended?.dispose(); // rejects its calls
  session.emit("change");
}

function apply(event: Json) {
  if (event.type === "sync_start" && event.mode !== "stream_resume") {
    caughtUp = false;
    anchors = event.mode === "full_reload" ? {} : { ...anchors, streamLastSeq: undefined };
    if (event.mode === "full_reload") printed.clear();
  } else if (event.type === "in_flight") {
    for (const message of event.inFlight.messages) show(message.eventId, message.blocks);
    questions = new Map(event.inFlight.permissions.map((it: Json) => [it.requestId, it]));
  } else if (event.type === "sync_end" && !caughtUp) {
    caughtUp = true;
    anchors.streamLastSeq = event.throughSeq;
  } else if (event.type === "text_delta") {
    const block = `${event.eventId} ${event.blockIndex}`;
    printed.set(block, (printed.get(block) ?? 0) + event.delta.length);
    process.stdout.write(event.delta);
  } else if (event.type === "message" && event.message.role === "assistant") show(event.id, event.message.content);
  else if (event.type === "permission_request") questions.set(event.requestId, event);
  else if (event.type === "permission_decision") questions.delete(event.requestId);
  else if (event.type === "turn_outcome") outcome = event.reason;
  if ("prev" in event) {
    if (event.prev !== (anchors.persistentLastSeq ?? 0)) return disconnect(); // an event is missing
    anchors = { ...anchors, persistentLastSeq: event.seq, persistentLastId: event.id };
  }
  if ("seq" in event && caughtUp) anchors.streamLastSeq = event.seq;
  session.emit("change");
}

// Prints what is not on the screen yet of a message's text.
function show(eventId: string, blocks: Json[]) {
  blocks.forEach(({ type, text }, index) => {
    if (type !== "text") return;
    process.stdout.write(text.slice(printed.get(`${eventId} ${index}`) ?? 0));
    printed.set(`${eventId} ${index}`, text.length);
  });
}

const { project } = await command("registerProject", { workDir: resolve(directory) });
({ sessionId } = await command("createSession", { projectId: project.projectId }));
disconnect(); // the next connection subscribes
await command("sendMessage", { sessionId, content: text });
while (!outcome) {
  const question = [...questions.values()].find((it) => !asked.has(it.requestId));
  if (question) {
    asked.add(question.requestId);
    console.log(`\n${question.toolName} asks: ${question.reason}\n${JSON.stringify(question.input)}\nallow? [y/n] `);
    const decision = (await typed.next()).value === "y" ? "once" : "deny";
    await command("respondPermission", { sessionId, requestId: question.requestId, decision });
  } else if (connection) await once(session, "change");
  else await connect();
}
process.exit(outcome === "completed" ? 0 : 1);
