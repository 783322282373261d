use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use scorel_testkit::Deadline;
use serde_json::{Value, json};

use crate::service::container::Container;

/// Prints `{id, last}` for each request, the last message of it, and answers with the `delta` of the line
/// `{id, delta}` that it reads.
const SERVER: &str = r#"
import http.server, itertools, json, queue, sys, threading
ids, waiting = itertools.count(1), {}
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        id, answers = next(ids), queue.Queue()
        waiting[id] = answers
        print(json.dumps({"id": id, "last": body["messages"][-1]}), flush=True)
        delta = answers.get()
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in ({"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": reason}):
            chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8321), Model)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    answer = json.loads(line)
    waiting[answer["id"]].put(answer["delta"])
"#;

/// The configuration that uses it.
pub(crate) const CONFIG: &str = "\
[model]
type = \"custom\"
api = \"openai-completions\"
provider = \"test\"
id = \"test-model\"
baseUrl = \"http://127.0.0.1:8321/v1\"

[permissions]
mode = \"full\"
";

/// A model server in a container. The test answers each request when it likes.
pub(crate) struct ScriptedModel {
    server: Child,
    requests: Lines<BufReader<ChildStdout>>,
    answers: ChildStdin,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct ModelRequest {
    id: u64,
    /// Its last message, as JSON.
    pub(crate) last: String,
}

impl ScriptedModel {
    pub(crate) fn start(container: &Container) -> Self {
        let mut command = container.command("/usr/bin/python3", &["-c", SERVER]);
        let mut server = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut model = Self {
            requests: BufReader::new(server.stdout.take().unwrap()).lines(),
            answers: server.stdin.take().unwrap(),
            server,
        };
        assert_eq!(model.line()["ready"], true);
        model
    }

    /// Waits for the next request.
    pub(crate) fn request(&mut self) -> ModelRequest {
        let line = self.line();
        ModelRequest {
            id: line["id"].as_u64().unwrap(),
            last: line["last"].to_string(),
        }
    }

    pub(crate) fn say(&mut self, request: &ModelRequest, text: &str) {
        self.answer(request, &json!({"content": text}));
    }

    pub(crate) fn call_bash(&mut self, request: &ModelRequest, command: &str) {
        let arguments = json!({"command": command}).to_string();
        let function = json!({"name": "Bash", "arguments": arguments});
        let call = json!({"index": 0, "id": format!("c{}", request.id), "type": "function", "function": function});
        self.answer(request, &json!({"tool_calls": [call]}));
    }

    fn answer(&mut self, request: &ModelRequest, delta: &Value) {
        let line = json!({"id": request.id, "delta": delta});
        writeln!(self.answers, "{line}").unwrap();
    }

    fn line(&mut self) -> Value {
        // For each line, and not for the server: a test with many requests may take longer.
        let _deadline = Deadline::of(&self.server);
        let line = self.requests.next().expect("the model's server runs");
        serde_json::from_str(&line.unwrap()).unwrap()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        let _ended = self.server.kill();
        let _status = self.server.wait();
    }
}
