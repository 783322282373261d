//! Programs that take more than commands may.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::scene::{Scene, has};

/// Its tool takes memory, or makes processes, without end.
const PROGRAM: &str = r#"
import json, os, sys, time

def take():
    if sys.argv[1] == "memory":
        kept = []
        while True:
            kept.append(bytearray(16 * 1024 * 1024))
    while True:
        if os.fork() == 0:
            time.sleep(1000)

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "tool.call":
        take()
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
"#;

fn write(extensions: &Path, id: &str) {
    let dir = extensions.join(id);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("take.py"), PROGRAM).unwrap();
    let manifest = format!(
        "manifest = 1\nid = '{id}'\nname = '{id}'\nversion = '1'\n\
         command = ['python3', 'take.py', '{id}']\n[[tools]]\nname = 'take'\ndescription = '{id}'\n"
    );
    fs::write(dir.join("extension.toml"), manifest).unwrap();
}

#[tokio::test]
async fn a_program_is_ended_at_the_limits_of_commands_and_the_daemon_goes_on() {
    if !has("python3") {
        return;
    }
    let scene = Scene::prepared(|daemon| {
        let extensions = daemon.home().join("extensions");
        write(&extensions, "memory");
        write(&extensions, "processes");
        daemon.configure_more("[tools.limits]\nmemory = 134217728\nprocesses = 32\n");
    })
    .await;
    let mut talk = scene.talk().await;
    for id in ["memory", "processes"] {
        let tool = format!("ext__{id}__take");
        let result = scene.call(&mut talk, &tool, &json!({})).await;
        let said = format!("it reached the limit `{id}` of `[tools.limits]`");
        assert!(result.contains(&said), "{result}");
    }
    let result = scene
        .call(&mut talk, "Bash", &json!({"command": "echo well"}))
        .await;
    assert!(result.contains("well"), "{result}");
}
