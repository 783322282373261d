"""A server that answers at once. Arguments: how many tools it has, and the length of their descriptions."""
import json, sys

count, length = int(sys.argv[1]), int(sys.argv[2])
schema = {"type": "object", "properties": {"text": {"type": "string"}}}
tools = [{"name": f"tool{n}", "description": f"Tool {n}. ".ljust(length, "x"), "inputSchema": schema} for n in range(count)]
results = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": tools},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}), flush=True)
