"""Goal: keeps the goal of a session in its log, and reminds the model of it at each prompt."""

import json
import sys

LAST = 9007199254740991
waiting = []


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(method, params):
    """Calls the daemon. What it asks meanwhile is answered afterwards."""
    say({"id": "ask", "method": method, "params": params})
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == "ask" and "method" not in message:
            return message.get("result")
        waiting.append(message)


def goal(session):
    params = {"sessionId": session, "kinds": ["goal.state"], "beforeSeq": LAST, "limit": 1}
    events = ask("getEvents", params)["events"]
    return events[0]["data"]["goal"] if events else None


def run(params):
    if params["name"] == "show":
        return {"reply": goal(params["sessionId"]) or "This session has no goal."}
    record = {"kind": "goal.state", "data": {"goal": params["arguments"]}}
    record["commandId"] = params["commandId"]
    ask("appendCustom", {"sessionId": params["sessionId"], **record})
    return {"reply": "The goal is set."}


def hook(params):
    found = goal(params["sessionId"])
    return {"inject": f"The goal of this session: {found}"} if found else {}


METHODS = {"initialize": lambda _: {}, "command.run": run, "hook.run": hook}

while True:
    message = waiting.pop(0) if waiting else json.loads(sys.stdin.readline() or "null")
    if message is None:
        break
    if "id" in message:
        result = METHODS[message["method"]](message["params"])
        say({"id": message["id"], "result": result})
