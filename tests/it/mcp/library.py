"""A server with prompts, resources and instructions. Arguments: its kind, and a file for its notes."""
import json, os, sys, time

kind, notes, KEY = sys.argv[1], sys.argv[2], os.environ.get("KEY", "")
prompts = [
    {"name": "review", "description": "Review\na file" + KEY, "arguments": [
        {"name": "file", "description": "The file", "required": True}, {"name": "depth"}]},
    {"name": "ask", "arguments": [{"name": "question", "required": True}]},
    {"name": "a.b"}, {"name": "a b"}]

def say(**message):
    text = json.dumps({"jsonrpc": "2.0"} | message)
    # As a program does that escapes all letters.
    escaped = "".join(f"\\u{ord(it):04x}" for it in KEY)
    print(text.replace(KEY, escaped) if KEY else text, flush=True)

def note(**what):
    with open(notes, "a") as file:
        file.write(json.dumps(what) + "\n")

def text(it, role="user"):
    return {"role": role, "content": {"type": "text", "text": it}}

def prompt(name, arguments):
    if name == "a.b" and KEY:
        return {"messages": [text("key " + KEY[:6]), text(KEY[6:] + " here")]}
    if name == "ask":
        prompts.append({"name": "new"})
        say(method="notifications/prompts/list_changed")
    return {"messages": [text(f"Do {name} with {json.dumps(arguments, sort_keys=True)}"), text("Like this.", "assistant"),
        {"role": "user", "content": {"type": "image", "data": "aGk=", "mimeType": "image/png"}}]}

def listed(key, entries, cursor):
    at = int(cursor or 0)
    more = {"nextCursor": str(at + 2)} if at + 2 < len(entries) else {}
    return {key: entries[at:at + 2]} | more

def read(uri):
    note(read=uri)
    if uri == "doc://secret":
        return {"contents": [{"uri": uri, "text": it} for it in ("key " + KEY[:6], KEY[6:] + " here")]}
    if uri == "doc://picture":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": "aGk="}]}
    if uri == "doc://bytes":
        return {"contents": [{"uri": uri, "blob": "AAEC"}]}
    return {"contents": [{"uri": uri, "text": "x" * 40000 if uri == "doc://long" else "The text of " + uri}]}

docs = [{"uri": "doc://" + it, "name": it, "mimeType": "text/plain", "size": 7, "description": "About\n" + it + KEY}
    for it in ("one", "picture", "bytes", "long", "last")]
features = {"tools": {}, "prompts": {"listChanged": True}} | ({} if kind == "dry" else {"resources": {}})
instructions = f"Look things up {KEY} " + "before you answer. " * 200
if kind == "slow":
    time.sleep(2)
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    cursor = params.get("cursor")
    if method == "server/discover":
        say(id=id, result={"supportedVersions": ["2026-07-28"], "capabilities": features, "instructions": instructions})
    elif method == "tools/list":
        say(id=id, result={"tools": [{"name": "noop", "description": "None." + KEY, "inputSchema": {"type": "object"}}]})
    elif method == "prompts/list":
        say(id=id, result=listed("prompts", prompts, cursor))
    elif method == "prompts/get" and params["name"] == "a b":
        say(id=id, error={"code": -32602, "message": "not today" + KEY})
    elif method == "prompts/get":
        say(id=id, result=prompt(params["name"], params["arguments"]))
    elif method == "resources/list":
        say(id=id, result=listed("resources", docs, cursor))
    elif method == "resources/templates/list":
        say(id=id, result={"resourceTemplates": [{"uriTemplate": "doc://page/{n}", "name": "page"}]})
    elif method == "resources/read":
        say(id=id, result=read(params["uri"]))
    elif id and method:
        say(id=id, error={"code": -32601, "message": "Method not found"})
