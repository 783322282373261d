"""Notes: a tool in forty lines. One JSON message a line, on standard input and output."""

import json
import pathlib
import sys

notes = None


def add(arguments):
    with notes.open("a") as file:
        file.write(arguments["text"].replace("\n", " ") + "\n")
    return "noted"


def show(_):
    return notes.read_text() if notes.exists() else "there are no notes"


def initialize(params):
    global notes
    notes = pathlib.Path(params["dataDir"]) / "notes.txt"
    return {}


def call(params):
    tool = {"add": add, "list": show}[params["name"]]
    return {"content": tool(params["input"])}


METHODS = {"initialize": initialize, "tool.call": call}

for line in sys.stdin:
    message = json.loads(line)
    # Without an id it is a notification: `shutdown`, or a call that was withdrawn.
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    answer["result"] = METHODS[message["method"]](message["params"])
    print(json.dumps(answer), flush=True)
