"""A runner that calls the tools of the daemon, and answers with what came of them.

The first argument is its wire, others follow. The prompt ends with a JSON list of [tool, arguments]; in the place of
`$runtime` stands the last runtime that was spawned. The tool `tools` lists all.
"""

import json
import os
import re
import socket
import subprocess
import sys

wire, arguments = sys.argv[1], sys.argv[2:]


def say(message):
    print(json.dumps(message), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


class Server:
    """The tools over the Model Context Protocol."""

    def __init__(self, command, args):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([command, *args], stdin=pipe, stdout=pipe, text=True)
        begun = self.ask("initialize", {"protocolVersion": "2025-11-25"})
        assert begun["serverInfo"]["name"] == "scorel"

    def ask(self, method, params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def tools(self):
        return self.ask("tools/list", {})["tools"]

    def call(self, name, arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        return result["content"][0]["text"]


class Socket:
    """The tools over the socket of the turn."""

    def ask(self, method, params):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(os.environ["SCOREL_TURN_SOCKET"])
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            stream.sendall((json.dumps(request) + "\n").encode())
            return json.loads(stream.makefile().readline())["result"]

    def tools(self):
        return self.ask("listTools", {})["tools"]

    def call(self, name, arguments):
        return self.ask("callTool", {"name": name, "input": arguments})["text"]


def run(server, prompt):
    results, runtime = [], None
    # A context that is new begins with the conversation so far.
    calls, _ = json.JSONDecoder().raw_decode(prompt[prompt.rindex("[[") :])
    for name, arguments in calls:
        if name == "tools":
            results.append(sorted(tool["name"] for tool in server.tools()))
            continue
        arguments = json.loads(json.dumps(arguments).replace("$runtime", runtime or ""))
        text = server.call(name, arguments)
        runtime = (re.findall(r"rti_\w+", text) or [runtime])[0]
        results.append(text)
    return json.dumps(results)


def claude():
    config = json.loads(arguments[arguments.index("--mcp-config") + 1])["mcpServers"]["scorel"]
    assert arguments[arguments.index("--allowedTools") + 1] == "mcp__scorel"
    server = Server(config["command"], config["args"])
    say({"type": "control_response", "response": {"request_id": hear()["request_id"]}})
    while True:
        content = hear()["message"]["content"]
        say({"type": "system", "subtype": "init", "session_id": "one"})
        text = run(server, content if isinstance(content, str) else content[-1]["text"])
        say({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
        say({"type": "result", "subtype": "success", "num_turns": 1})


def acp():
    server = None
    while True:
        request = hear()
        method, params = request["method"], request["params"]
        if method == "initialize":
            resume = {"sessionCapabilities": {"resume": {}}}
            answer = {"protocolVersion": 1, "agentCapabilities": resume}
        elif method in ("session/new", "session/resume"):
            entry = params["mcpServers"][0]
            assert entry["name"] == "scorel"
            server = Server(entry["command"], entry["args"])
            answer = {"sessionId": "one"}
        else:
            chunk = {"sessionUpdate": "agent_message_chunk"}
            chunk["content"] = {"type": "text", "text": run(server, params["prompt"][-1]["text"])}
            update = {"sessionId": "one", "update": chunk}
            say({"jsonrpc": "2.0", "method": "session/update", "params": update})
            answer = {"stopReason": "end_turn"}
        say({"jsonrpc": "2.0", "id": request["id"], "result": answer})


if wire == "claude":
    claude()
elif wire == "acp":
    acp()
else:
    print(run(Socket(), sys.stdin.read()))
