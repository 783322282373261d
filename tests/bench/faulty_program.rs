use std::fs;
use std::path::Path;
use std::time::Instant;

use scorel_testkit::{DaemonUnderTest, ResponseGate, ScriptedResponse};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::{UnixListener, UnixStream};

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, tool_call};
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

/// The faults of the program.
const FAULTS: [&str; 5] = [
    "floods",
    "writes no end",
    "exits",
    "never answers",
    "breaks the protocol",
];

/// Times that the program is idle, and then faulty.
const ROUNDS: usize = 10;

/// Deltas of each such time, some 130 ms. A fault begins with the end of a turn, a lost process and a new one: with 300
/// deltas the three that meet this were the figure.
const DELTAS: usize = 1_000;

/// Does what the call names, until the benchmark closes the connection. It speaks to extensions' callers as to those of servers.
const PROGRAM: &str = r#"
import json, os, select, socket, sys

def fault(kind):
    if kind == "nothing":
        return {"content": [{"type": "text", "text": "done"}]}
    told = socket.socket(socket.AF_UNIX)
    told.connect(sys.argv[1])
    told.send(b"x")
    goes_on = lambda: not select.select([told], [], [], 0)[0]
    if kind == "exits":
        os._exit(3)
    if kind == "breaks the protocol":
        print("{" * 1000, flush=True)
    note = '{"jsonrpc":"2.0","method":"%s","params":{"callId":"other","progressToken":"other","progress":1}}\n' % sys.argv[2]
    while kind == "floods" and goes_on():
        sys.stderr.write("flood\n" * 100)
        sys.stdout.write(note * 100)
    while kind == "writes no end" and goes_on():
        sys.stdout.write("x" * 100000)
    sys.stdout.flush()

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        params = message.get("params", {})
        result = {"tool.call": lambda: fault(params["input"]["kind"]),
            "tools/call": lambda: fault(params["arguments"]["kind"]),
            "server/discover": lambda: {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": lambda: {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]},
        }.get(message["method"], lambda: {})()
        if result is not None:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// The programs that can be faulty.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FaultyProgram {
    Extension,
    Server,
}

/// A session whose text is timed, and another whose tool is faulty.
struct FaultBench {
    of: FaultyProgram,
    bench: BenchDaemon,
    faulty: String,
    ends: BenchClient,
    begins: UnixListener,
    _directory: TempDir,
}

/// The worst of all faults counts.
pub(crate) async fn beside(program: &Path, of: FaultyProgram) -> Figure {
    let mut bench = FaultBench::new(program, of).await;
    let mut each = Map::new();
    let mut worst = 0_f64;
    for fault in FAULTS {
        let (quiet, beside) = bench.measure(fault).await;
        let ratio = beside.p99() / quiet.p99();
        worst = worst.max(ratio);
        let measured = json!({
            "p99Ratio": rounded(ratio),
            "p50Ratio": rounded(beside.p50() / quiet.p50()),
            "quietP99Ms": rounded(quiet.p99()),
            "besideP99Ms": rounded(beside.p99()),
            "besideMaxMs": rounded(beside.max()),
        });
        each.insert(fault.to_owned(), measured);
    }
    Figure {
        name: of.figure(),
        value: worst,
        unit: "ratio",
        goal: Goal::AtMost {
            must: 2.0,
            aim: 1.2,
        },
        with: json!({"faults": each, "deltas": ROUNDS * DELTAS}),
    }
}

impl FaultyProgram {
    const fn figure(self) -> &'static str {
        match self {
            Self::Extension => "delta beside a faulty program / beside an idle one, p99",
            Self::Server => "delta beside a faulty server / beside an idle one, p99",
        }
    }

    const fn tool(self) -> &'static str {
        match self {
            Self::Extension => "ext__faulty__go",
            Self::Server => "mcp__faulty__go",
        }
    }

    const fn process(self) -> &'static str {
        match self {
            Self::Extension => "extension:faulty",
            Self::Server => "mcp:faulty",
        }
    }

    /// Puts it into a home. Returns tables of the configuration.
    fn install(self, daemon: &DaemonUnderTest, socket: &Path) -> String {
        let own = daemon.home().join("extensions/faulty");
        let file = own.join("faulty.py");
        fs::create_dir_all(&own).unwrap();
        fs::write(&file, PROGRAM).unwrap();
        match self {
            Self::Extension => {
                let manifest = format!(
                    "manifest = 1\nid = 'faulty'\nname = 'Faulty'\nversion = '1'\n\
                     command = ['python3', 'faulty.py', '{}', 'tool.progress']\n\
                     [[tools]]\nname = 'go'\ndescription = 'Goes wrong.'\n",
                    socket.display()
                );
                fs::write(own.join("extension.toml"), manifest).unwrap();
                String::new()
            }
            Self::Server => format!(
                "[[mcp.servers]]\nname = 'faulty'\ncommand = 'python3'\n\
                 args = [{file:?}, {socket:?}, 'notifications/progress']\n"
            ),
        }
    }
}

impl FaultBench {
    async fn new(program: &Path, of: FaultyProgram) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("begins");
        let begins = UnixListener::bind(&socket).unwrap();
        let path = std::env::var("PATH").unwrap();
        let daemon = DaemonUnderTest::new(program).with_variable("PATH", &path);
        let tables = of.install(&daemon, &socket);
        let tables = format!("[permissions]\nmode = \"full\"\n{tables}");
        let mut bench = BenchDaemon::start(daemon, &tables).await;
        let faulty = bench.new_session().await;
        let ends = bench.watch(&faulty).await;
        Self {
            of,
            bench,
            faulty,
            ends,
            begins,
            _directory: directory,
        }
    }

    /// The delay of deltas while the program is idle, and while it is faulty, in turns.
    async fn measure(&mut self, fault: &str) -> (Samples, Samples) {
        let gates: Vec<ResponseGate> = (0..2 * ROUNDS * DELTAS)
            .map(|_| ResponseGate::new())
            .collect();
        let answer = gates.iter().fold(ScriptedResponse::chat(), |answer, gate| {
            answer.wait(gate).text(" word")
        });
        let session = self.bench.new_session().await;
        let mut watch = self.bench.watch(&session).await;
        let begun = self
            .bench
            .begin_turn(&session, answer.finish("stop").into(), &gates[0]);
        begun.await;
        let (mut quiet, mut beside) = (Samples::default(), Samples::default());
        for part in gates.chunks(2 * DELTAS) {
            let (while_idle, while_faulty) = part.split_at(DELTAS);
            self.call("nothing").await;
            self.ends.until("\"turn_outcome\"").await;
            deltas(while_idle, &mut watch, &mut quiet).await;
            let begun = self.begin(fault).await;
            deltas(while_faulty, &mut watch, &mut beside).await;
            self.end(begun).await;
        }
        (quiet, beside)
    }

    /// Starts a turn that calls the tool.
    async fn call(&mut self, kind: &str) {
        let call = tool_call(self.of.tool(), &json!({"kind": kind}).to_string());
        self.bench
            .model
            .answer(ScriptedResponse::event_stream(call));
        let done = ScriptedResponse::chat().text("done").finish("stop");
        self.bench.model.answer(done);
        let faulty = self.faulty.clone();
        self.bench.send_message(&faulty).await;
    }

    async fn begin(&mut self, fault: &str) -> UnixStream {
        self.call(fault).await;
        let mut begun = self.begins.accept().await.unwrap().0;
        begun.read_exact(&mut [0]).await.unwrap();
        begun
    }

    /// The program ends what it does, and is started anew.
    async fn end(&mut self, begun: UnixStream) {
        drop(begun);
        let process = json!({"process": self.of.process()});
        let restarted: Value = self.bench.client.call("restartProcess", &process).await;
        assert!(restarted.is_object(), "{restarted}");
        self.ends.until("\"turn_outcome\"").await;
    }
}

/// Has one delta after another written, and times each.
async fn deltas(gates: &[ResponseGate], watch: &mut BenchClient, samples: &mut Samples) {
    for gate in gates {
        gate.reached().await;
        let started = Instant::now();
        gate.open();
        watch.until("\"text_delta\"").await;
        samples.push(started.elapsed());
    }
}
