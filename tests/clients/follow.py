#!/usr/bin/env python3
"""Prints the events of a session, one JSON text a line, until it is killed."""
import json
import socket
import sys

path, session = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX)
connection.connect(path)
# One file object for both directions would drop what it has read ahead whenever it writes.
lines = connection.makefile("r", encoding="utf-8", newline="\n")
requests = connection.makefile("w", encoding="utf-8", newline="\n")
call = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "subscribeEvents",
    "params": {"sessionId": session},
}
requests.write(json.dumps(call) + "\n")
requests.flush()
for line in lines:
    message = json.loads(line)
    if "error" in message:
        sys.exit(message["error"]["message"])
    if message.get("method") == "event":
        print(json.dumps(message["params"]["result"]), flush=True)
