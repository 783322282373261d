#!/usr/bin/env python3
"""Asks an agent and prints its answer, across restarts of the daemon: ask.py SOCKET DIRECTORY MESSAGE"""
import json, os, random, socket, sys, time, uuid
from pathlib import Path


def client_id():
    """The id of this installation: made once, and kept."""
    file = Path.home() / ".local/state/scorel-ask-py"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("cli_0" + "".join(random.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=25)))
    return file.read_text()


class ScorelClient:
    def __init__(self, path):
        self.path, self.lines, self.calls = path, None, 0
        self.session_id, self.outcome, self.questions = None, None, {}
        self.anchors, self.caught_up, self.asked = {}, False, set()
        self.printed = {}  # how much of each block of text is on the screen

    def command(self, method, **params):
        """Calls until there is an answer. However often that is, the command is applied once."""
        params["commandId"] = str(uuid.uuid4())
        return self.persist(lambda: self.call(method, **params))

    def persist(self, action):
        while True:
            try:
                if self.lines is None:
                    self.connect()
                return action()
            except OSError:  # the connection broke, or no daemon listens at the moment
                self.lines = None
                time.sleep(0.1)

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.call("hello", clientId=client_id(), protocol={"min": 1, "max": 1})
        if self.session_id:
            self.call("subscribeEvents", sessionId=self.session_id, **self.anchors)

    def call(self, method, **params):
        self.calls += 1
        request = {"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        while (message := self.receive()).get("id") != self.calls:
            pass
        return message["result"] if "result" in message else sys.exit(message["error"]["message"])

    def receive(self):
        line = self.lines.readline()
        if not line.endswith("\n"):
            raise ConnectionError("the connection has ended")
        message = json.loads(line)
        if message.get("method") == "event":
            self.apply(message["params"]["result"])
        return message

    def apply(self, event):
        if event["type"] == "sync_start" and event["mode"] != "stream_resume":
            self.caught_up = False
            self.anchors.pop("streamLastSeq", None)
            if event["mode"] == "full_reload":
                self.anchors, self.printed, self.questions = {}, {}, {}
        elif event["type"] == "in_flight":
            for message in event["inFlight"]["messages"]:
                self.show(message["eventId"], message["blocks"])
            self.questions = {it["requestId"]: it for it in event["inFlight"]["permissions"]}
        elif event["type"] == "sync_end" and not self.caught_up:
            self.caught_up = True
            self.anchors["streamLastSeq"] = event["throughSeq"]
        elif event["type"] == "text_delta":
            block = (event["eventId"], event["blockIndex"])
            self.printed[block] = self.printed.get(block, 0) + len(event["delta"])
            print(event["delta"], end="", flush=True)
        elif event["type"] == "message" and event["message"]["role"] == "assistant":
            self.show(event["id"], event["message"]["content"])
        elif event["type"] == "permission_request":
            self.questions[event["requestId"]] = event
        elif event["type"] == "permission_decision":
            self.questions.pop(event["requestId"], None)
        elif event["type"] == "turn_outcome":
            self.outcome = event["reason"]
        if "prev" in event:
            if event["prev"] != self.anchors.get("persistentLastSeq", 0):
                self.anchors.pop("streamLastSeq", None)
                raise ConnectionError("an event is missing: subscribe again")
            self.anchors |= {"persistentLastSeq": event["seq"], "persistentLastId": event["id"]}
        if "seq" in event and self.caught_up:
            self.anchors["streamLastSeq"] = event["seq"]

    def show(self, event_id, blocks):
        """Prints what is not on the screen yet of a message's text."""
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                done = self.printed.get((event_id, index), 0)
                self.printed[event_id, index] = len(block["text"])
                print(block["text"][done:], end="", flush=True)


client = ScorelClient(sys.argv[1])
project = client.command("registerProject", workDir=os.path.abspath(sys.argv[2]))["project"]
client.session_id = client.command("createSession", projectId=project["projectId"])["sessionId"]
client.lines = None  # the next connection subscribes
client.command("sendMessage", sessionId=client.session_id, content=sys.argv[3])
while not client.outcome:
    request_id, question = client.questions.popitem() if client.questions else (None, None)
    if question and request_id not in client.asked:
        client.asked.add(request_id)
        print(f"\n{question['toolName']} asks: {question['reason']}\n{json.dumps(question['input'])}")
        answer = {"requestId": request_id, "decision": "once" if input("allow? [y/n] ") == "y" else "deny"}
        client.command("respondPermission", sessionId=client.session_id, **answer)
    elif not question:
        client.persist(client.receive)
sys.exit(client.outcome != "completed")
