//! Programs that misbehave, beside a session that streams.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams};
use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::scene::{Scene, has};
use crate::under_test::{PATIENCE, streamed_text};

/// A program whose tool does what its argument names.
const PROGRAM: &str = r#"
import json, os, signal, sys, time

def fault(kind):
    if kind == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    if kind == "exits":
        print("cannot go on", file=sys.stderr, flush=True)
        os._exit(3)
    if kind == "long":
        for _ in range(100):
            sys.stdout.write("{" + "x" * 1000000)
    if kind == "floods":
        while True:
            sys.stderr.write("flood\n" * 1000)
            print('{"jsonrpc":"2.0","method":"tool.progress","params":{"callId":"other"}}')
    if kind == "forks":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(1000)
            os._exit(0)
        return {"content": "forked"}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    is_call = message["method"] == "tool.call"
    result = fault(sys.argv[1]) if is_call else {}
    if is_call and sys.argv[1] == "mute":
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// A fault with what the model reads of the call. Only one that ends by its time has a short one: a busy machine may need
/// longer for the others.
const FAULTS: [(&str, &str); 6] = [
    ("mute", "did not answer within 1 s"),
    ("hangs", "did not answer within 1 s"),
    ("exits", "it exited with code 3; it said: cannot go on"),
    ("long", "it broke the protocol"),
    ("floods", "did not answer within 1 s"),
    ("forks", "forked"),
];

fn write(extensions: &Path, (id, told): (&str, &str), marker: &str) {
    let seconds = if told.ends_with("within 1 s") { 1 } else { 60 };
    let dir = extensions.join(id);
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("fault.py"), PROGRAM).unwrap();
    let manifest = format!(
        "manifest = 1\nid = \"{id}\"\nname = \"{id}\"\nversion = \"1\"\n\
         command = [\"python3\", \"fault.py\", \"{id}\", \"{marker}\"]\n\
         [[tools]]\nname = \"go\"\ndescription = \"{id}\"\ntimeoutSeconds = {seconds}\n"
    );
    fs::write(dir.join("extension.toml"), manifest).unwrap();
}

#[tokio::test]
async fn faults_of_programs_cost_their_calls_and_nothing_else() {
    if !has("python3") {
        return;
    }
    let marker = format!("fault-{}", std::process::id());
    let scene = Scene::with(|extensions| {
        for fault in FAULTS {
            write(extensions, fault, &marker);
        }
    })
    .await;
    let gate = ResponseGate::new();
    let words = |chat: ScriptedChat| (0..200).fold(chat, |chat, n| chat.text(&format!("{n} ")));
    let streamed = words(words(ScriptedChat::default()).wait(&gate));
    scene.model.answer(streamed.finish("stop").usage(1, 1));
    let mut stream = scene.talk().await;
    let streaming = stream.turn(&scene.client, "stream");
    let faulty = async {
        gate.reached().await;
        for (id, expected) in FAULTS {
            let mut talk = scene.talk().await;
            let tool = format!("ext__{id}__go");
            let result = scene.call(&mut talk, &tool, &json!({})).await;
            assert!(result.contains(expected), "{id}: {result}");
        }
        println!(
            "getStatus beside faulty programs: {:?}",
            slowest(&scene.client).await
        );
        gate.open();
    };
    let (events, ()) = tokio::join!(streaming, faulty);
    let text = streamed_text(&events);
    let expected: String = (0..200).chain(0..200).map(|n| format!("{n} ")).collect();
    assert_eq!(text, expected, "no event is lost");
    let Scene { mut daemon, .. } = scene;
    assert!(!left(&marker).is_empty());
    let began = Instant::now();
    daemon.stop().await;
    let gone = async {
        while !left(&marker).is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("nothing is left");
    println!("nothing is left after {:?}", began.elapsed());
}

/// The longest of twenty calls.
async fn slowest(client: &Connection) -> Duration {
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        client.call::<GetStatus>(&NoParams {}).await.unwrap();
        slowest = slowest.max(began.elapsed());
    }
    slowest
}

/// The processes with this word in their command lines.
fn left(marker: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_marker = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(marker)
    };
    pids.filter(has_marker).collect()
}
