"""A server of the Model Context Protocol over HTTP. Arguments: its kind, a file for its notes, its port or 0.

It is its own authorization server, if its kind is one that wants a login."""
import base64, hashlib, json, os, sys, threading, time, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

kind, notes, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
wants_login = kind in ("login", "stranger", "elsewhere", "known")
# The client that was registered by hand at the authorization server of the kind "known", as HTTP names it.
KNOWN = "Basic " + base64.b64encode(b"hand+made:of%2Fhand-12345").decode()
is_modern = kind != "session"
tools = ["echo", "slow", "secret", "grows", "forgets", "drops", "headers", "expires", "revokes", "dead"]
sessions, listeners, lock = set(), [], threading.Lock()
codes, tokens, refreshes, clients = {}, set(), set(), {}
# Calls of `echo` with a token that has expired are refused once that many of them are here.
expired = threading.Barrier(1)

def note(**what):
    with lock, open(notes, "a") as file:
        file.write(json.dumps(what | {"pid": os.getpid()}) + "\n")

def text(*texts):
    return {"content": [{"type": "text", "text": it} for it in texts]}

def listed():
    schema = {"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}}
    bad = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    named = [{"name": it, "description": f"The tool {it}.", "inputSchema": schema,
        "annotations": {"readOnlyHint": it == "echo"}} for it in tools]
    return {"tools": named + ([{"name": "broken", "inputSchema": bad}] if is_modern else [])}

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, status, body=None, headers={}):
        data = b"" if body is None else json.dumps(body).encode()
        if key := self.headers.get("X-Key"):
            # As a server does that escapes all letters.
            data = data.replace(key.encode(), "".join(f"\\u{ord(it):04x}" for it in key).encode())
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": len(data)} | headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def begin_events(self, headers={}):
        self.send_response(200)
        for name, value in ({"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"} | headers).items():
            self.send_header(name, value)
        self.end_headers()

    def event(self, **message):
        data = f"event: message\ndata: {json.dumps({'jsonrpc': '2.0'} | message)}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def end_events(self):
        self.wfile.write(b"0\r\n\r\n")

    def do_DELETE(self):
        note(ended=self.headers.get("Mcp-Session-Id"))
        sessions.discard(self.headers.get("Mcp-Session-Id"))
        self.answer(200)

    def do_GET(self):
        url, query = urlparse(self.path), {k: v[0] for k, v in parse_qs(urlparse(self.path).query).items()}
        if url.path == "/.well-known/oauth-protected-resource/mcp" and wants_login:
            issuer = self.base() if kind != "elsewhere" or "moved" not in globals() else self.base() + "/other"
            return self.answer(200, {"resource": self.base() + "/mcp", "authorization_servers": [issuer]})
        if url.path.startswith("/.well-known/oauth-authorization-server") and wants_login:
            other = url.path.removeprefix("/.well-known/oauth-authorization-server")
            ways = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]} if kind == "known" else {
                "registration_endpoint": self.base() + "/register"}
            return self.answer(200, ways | {"issuer": self.base() + other, "token_endpoint": self.base() + "/token",
                "authorization_endpoint": self.base() + "/authorize", "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True})
        if url.path == "/authorize":
            code = uuid.uuid4().hex
            codes[code] = query
            note(authorized=query["resource"], client=query["client_id"], redirect=query["redirect_uri"])
            iss = self.base() if kind != "stranger" else "https://stranger.example"
            back = query["redirect_uri"] + "?" + urlencode({"code": code, "state": query["state"], "iss": iss})
            return self.answer(302, headers={"Location": back})
        if url.path == "/mcp" and not is_modern and self.headers.get("Mcp-Session-Id") in sessions:
            self.begin_events()
            return self.listen()
        self.answer(405 if url.path == "/mcp" else 404)

    def listen(self):
        changed = threading.Event()
        listeners.append(changed)
        while True:
            changed.wait(0.2)
            try:
                if changed.is_set():
                    changed.clear()
                    self.event(method="notifications/tools/list_changed")
                else:
                    self.wfile.write(b"3\r\n:\n\n\r\n")
                    self.wfile.flush()
            except OSError:
                return listeners.remove(changed)

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/register":
            asked = json.loads(data)
            note(registered=asked["application_type"])
            return self.answer(201, asked | {"client_id": uuid.uuid4().hex})
        if self.path == "/token":
            return self.token({k: v[0] for k, v in parse_qs(data.decode()).items()})
        if self.path != "/mcp":
            return self.answer(404)
        if kind == "redirects":
            return self.answer(307, headers={"Location": "http://localhost:9/mcp"})
        if wants_login and self.headers.get("Authorization", "").removeprefix("Bearer ") not in tokens:
            if self.headers.get("Mcp-Name") == "echo":
                expired.wait(60)
            note(refused=True)
            where = f'Bearer resource_metadata="{self.base()}/.well-known/oauth-protected-resource/mcp"'
            return self.answer(401, {"error": "invalid_token"}, {"WWW-Authenticate": where})
        self.message(json.loads(data))

    def token(self, form):
        if kind == "known" and self.headers.get("Authorization") != KNOWN:
            return self.answer(401, {"error": "invalid_client"})
        if form["resource"] != self.base() + "/mcp":
            return self.answer(400, {"error": "invalid_target"})
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in refreshes:
                return self.answer(400, {"error": "invalid_grant"})
            refreshes.discard(form["refresh_token"])
            note(refreshed=True)
            time.sleep(0.2)
        else:
            note(exchanged=True)
            asked = codes.pop(form["code"])
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            made = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            if asked["code_challenge"] != made or asked["redirect_uri"] != form["redirect_uri"]:
                return self.answer(400, {"error": "invalid_grant"})
        token, refresh = "access-" + uuid.uuid4().hex, "refresh-" + uuid.uuid4().hex
        tokens.add(token), refreshes.add(refresh)
        self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh})

    def message(self, message):
        method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        note(method=method, headers={name.lower(): value for name, value in self.headers.items()})
        session = self.headers.get("Mcp-Session-Id")
        if is_modern:
            meta = params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
            told = self.headers.get("MCP-Protocol-Version"), self.headers.get("Mcp-Method")
            if method == "initialize" or told != (meta, method):
                return self.answer(400, {"jsonrpc": "2.0", "id": id, "error": {"code": -32020, "message": "headers"}})
        elif method == "initialize":
            session = uuid.uuid4().hex
            sessions.add(session)
            return self.answer(200, {"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-11-25",
                "serverInfo": {"name": "fake", "version": "1"}, "capabilities": {"tools": {"listChanged": True}}}},
                {"Mcp-Session-Id": session})
        elif session is None:
            return self.answer(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "no session"}})
        elif session not in sessions:
            return self.answer(404, {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "gone"}})
        if id is None:
            return self.answer(202)
        if method == "server/discover":
            return self.answer(200, {"jsonrpc": "2.0", "id": id, "result": {"supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {"listChanged": True}}}})
        if method == "subscriptions/listen":
            self.begin_events()
            return self.listen()
        if method == "tools/list":
            return self.answer(200, {"jsonrpc": "2.0", "id": id, "result": listed()})
        if method == "tools/call":
            return self.call(id, params["name"], params.get("arguments") or {}, params.get("_meta", {}))
        self.answer(404, {"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})

    def call(self, id, name, arguments, meta):
        note(called=name)
        result = text(name)
        if name == "echo":
            result = text("echo: " + str(arguments.get("text")))
        if name == "headers":
            result = text(json.dumps({name.lower(): value for name, value in self.headers.items()}))
        if name == "secret":
            key = self.headers.get("X-Key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
            result = text("key " + key[:8], key[8:] + " and whole " + key)
        if name == "slow":
            self.begin_events()
            try:
                for step in range(100):
                    self.event(method="notifications/progress", params={"progressToken": meta["progressToken"],
                        "progress": step, "total": 100, "message": "working"})
                    time.sleep(0.05)
                self.event(id=id, result=result)
                return self.end_events()
            except OSError:
                return note(withdrawn=True)
        if name == "grows":
            tools.append("new")
            for listener in listeners:
                listener.set()
        if name == "forgets":
            sessions.clear()
        if name == "expires":
            globals()["expired"] = threading.Barrier(arguments.get("calls", 1))
            tokens.clear()
        if name == "revokes":
            tokens.clear(), refreshes.clear()
            globals()["moved"] = True
        if name == "drops":
            self.close_connection = True
            return self.connection.close()
        if name == "dead":
            os._exit(1)
        self.answer(200, {"jsonrpc": "2.0", "id": id, "result": result})

class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

server = Server(("127.0.0.1", port), Handler)
print(server.server_port, flush=True)
server.serve_forever()
