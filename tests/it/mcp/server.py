"""A server of the Model Context Protocol. Arguments: its kind, and a file for its notes."""
import json, os, sys, threading, time

kind, notes = sys.argv[1], sys.argv[2]
has_file = kind == "from-file"
OLD = ("handshake", "exits", "silent", "banner", "late")
is_modern, cancelled, listens, out = kind not in OLD, set(), threading.Event(), threading.Lock()
tools = ["echo", "place", "slow", "dies", "picture", "structured", "asks", "grows", "fails", "secret", "long"]

def note(**what):
    with open(notes, "a") as file:
        file.write(json.dumps(what | {"pid": os.getpid()}) + "\n")

def say(**message):
    with out:
        print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)

def text(it):
    return {"content": [{"type": "text", "text": it}]}

def secret(key):
    """Whole, and in two texts that make it together."""
    return {"content": [{"type": "text", "text": it} for it in ("key " + key + " or " + key[:6], key[6:])]}

def call(id, name, arguments, meta):
    note(called=name)
    if name == "slow":
        for step in range(100):
            if id in cancelled:
                return note(cancelled=True)
            say(method="notifications/progress", params={
                "progressToken": meta["progressToken"], "progress": step, "total": 100, "message": "working"})
            time.sleep(0.05)
    if name == "dies":
        print("cannot go on", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "grows":
        tools.append("new")
        # One that lists for a time says nothing, and one that was not asked to neither.
        if kind != "brief" and (kind != "listens" or listens.is_set()):
            say(method="notifications/tools/list_changed")
    say(id=id, result={
        "echo": text("echo: " + str(arguments.get("text"))),
        "place": text(os.getcwd()),
        "picture": {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]},
        "structured": {"structuredContent": {"answer": 42}},
        "asks": {"resultType": "input_required", "inputRequests": {}},
        "long": text("x" * (17 << 20) if name == "long" else ""),
        "fails": text("it went wrong") | {"isError": True},
        "secret": secret(os.environ.get("KEY", "none")),
    }.get(name, text(f"{name}: {json.dumps(arguments)}" if has_file else name)))

def in_file():
    with open(notes + ".tools") as file:
        return json.load(file)

def follow():
    seen = in_file()
    while True:
        time.sleep(0.02)
        if in_file() != seen:
            seen = in_file()
            note(changed=True)
            say(method="notifications/tools/list_changed")

def listed(cursor):
    if has_file:
        return {"tools": in_file()}
    names = tools if cursor == "more" else tools[:4]
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    told = os.environ.get("KEY", "") if kind == "tells" else ""
    entries = [{"name": it, "description": f"The tool {it}.{told}", "inputSchema": schema,
        "annotations": {"readOnlyHint": it in ("echo", "dies")}} for it in names]
    if cursor == "more":
        entries = entries[4:] + [{"name": "broken", "inputSchema": {"type": "array"}}]
    page = {"ttlMs": 1} if kind == "brief" else {}
    return page | ({"tools": entries} if cursor == "more" else {"tools": entries, "nextCursor": "more"})

if kind == "banner":
    print("Server 1.0\nready to serve", flush=True)
note(started=kind, cwd=os.getcwd())
if kind == "late":
    time.sleep(2.5)
if kind == "hangs":
    time.sleep(600)
if has_file:
    threading.Thread(target=follow, daemon=True).start()
has_begun = is_modern
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    meta = params.get("_meta", {})
    note(method=method)
    if kind == "exits" and method == "server/discover":
        sys.exit("unknown method")
    if method == "initialize" and not is_modern:
        has_begun = True
        say(id=id, result={"protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
            "capabilities": {"tools": {"listChanged": True}}})
    elif kind in ("silent", "banner", "late") and not has_begun:
        pass
    elif method == "server/discover" and is_modern:
        say(id=id, result={"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}})
    elif is_modern and id and "io.modelcontextprotocol/protocolVersion" not in meta:
        say(id=id, error={"code": -32602, "message": "who asks?"})
    elif method == "subscriptions/listen":
        listens.set()
    elif method == "tools/call" and kind == "tells" and params["name"] == "fails":
        say(id=id, error={"code": -32603, "message": "no access with " + os.environ["KEY"]})
    elif method == "tools/list":
        note(listed=True)
        say(id=id, result=listed(params.get("cursor")))
    elif method == "tools/call":
        threading.Thread(target=call, args=(id, params["name"], params["arguments"], meta), daemon=True).start()
    elif method == "notifications/cancelled":
        cancelled.add(params["requestId"])
    elif id and method:
        say(id=id, error={"code": -32601, "message": "Method not found"})
