"""An ACP agent that makes the calls that its prompt lists, and answers with what came of them.

The prompt is a JSON list of [method, params]. A call of `session/request_permission` that is refused ends
the turn.
"""

import json
import sys

last_id = 100


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def call(method, params):
    global last_id
    last_id += 1
    send({"id": last_id, "method": method, "params": {"sessionId": "one", **params}})
    while True:
        message = receive()
        if message.get("id") == last_id and "method" not in message:
            return message.get("result", message.get("error"))


def terminal(params, results):
    """In the place of `$terminal` stands the id that the last `terminal/create` has returned."""
    ids = ["none"] + [result["terminalId"] for result in results if "terminalId" in result]
    return {name: ids[-1] if value == "$terminal" else value for name, value in params.items()}


def run(prompt):
    results = []
    for method, params in json.loads(prompt):
        result = call(method, terminal(params, results))
        results.append(result)
        if result.get("outcome", {}).get("outcome") == "cancelled":
            break
    chunk = {"sessionUpdate": "agent_message_chunk"}
    chunk["content"] = {"type": "text", "text": json.dumps(results)}
    send({"method": "session/update", "params": {"sessionId": "one", "update": chunk}})


while True:
    request = receive()
    method = request.get("method")
    if method == "initialize":
        assert request["params"]["clientCapabilities"]["terminal"]
        capabilities = {"promptCapabilities": {}}
        answer = {"protocolVersion": 1, "agentCapabilities": capabilities}
    elif method == "session/new":
        answer = {"sessionId": "one"}
    elif method == "session/prompt":
        run(request["params"]["prompt"][-1]["text"])
        answer = {"stopReason": "end_turn"}
    else:
        continue
    send({"id": request["id"], "result": answer})
