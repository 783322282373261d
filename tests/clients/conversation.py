#!/usr/bin/env python3
"""Holds a short conversation and checks what the daemon says."""
import json
import socket
import sys

path, project = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(60)
connection.connect(path)
# One file object for both directions would drop what it has read ahead whenever it writes.
lines = connection.makefile("r", encoding="utf-8", newline="\n")
requests = connection.makefile("w", encoding="utf-8", newline="\n")
calls = 0
events = []


def receive():
    return json.loads(lines.readline())


def call(method, **params):
    global calls
    calls += 1
    request = {"jsonrpc": "2.0", "id": calls, "method": method, "params": params}
    requests.write(json.dumps(request) + "\n")
    requests.flush()
    while True:
        message = receive()
        if message.get("id") == calls:
            return message
        events.append(message["params"]["result"])


def result(method, **params):
    answer = call(method, **params)
    assert "result" in answer, answer
    return answer["result"]


result("hello", clientId="cli_01ARZ3NDEKTSV4RRFFQ69G5FAV", protocol={"min": 1, "max": 1})
project_id = result("registerProject", workDir=project)["project"]["projectId"]
session = result("createSession", projectId=project_id)["sessionId"]
result("subscribeEvents", sessionId=session)
# Until the subscription has caught up it sends records only.
while not events or events[-1]["type"] != "sync_end":
    events.append(receive()["params"]["result"])
send = {"sessionId": session, "content": "What is here?", "commandId": "once"}
first = result("sendMessage", **send)
assert first["status"] == "accepted", first
assert result("sendMessage", **send) == first, "the same command has the same answer"
other = call("sendMessage", **{**send, "content": "Something else"})
assert other["error"]["data"]["code"] == "conflict", other
while not events or events[-1]["type"] != "turn_outcome":
    events.append(receive()["params"]["result"])
assert events[-1]["reason"] == "completed", events[-1]

numbers = [event["seq"] for event in events if "seq" in event]
assert numbers == sorted(set(numbers)), "numbers increase"
text = "".join(event["delta"] for event in events if event["type"] == "text_delta")
assert "README.md" in text, text
page = result("getEvents", sessionId=session)
persistent = [event for event in events if "prev" in event]
expected = {"events": persistent, "more": False}
assert page == expected, f"the log is not what was seen: {page} {expected}"
previous = 0
for event in persistent:
    assert event["prev"] == previous, event
    previous = event["seq"]
print("python: ok")
