//! Programs that hear of what sessions do.

use std::path::Path;

use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::scene::{Scene, has, python};
use crate::under_test::{NamedPipe, streamed_text};

const EVENTS: &str = r#"events = ["session_start", "prompt_submit", "turn_finish", "turn_error", "permission_asked", "text_delta", "tool_started"]
"#;

/// Writes what it hears into a pipe.
fn ear(pipe: &Path) -> String {
    let pipe = pipe.display();
    format!(
        "\ndef event(params):\n    with open('{pipe}', 'w') as pipe:\n        print(json.dumps(params), file=pipe)\n"
    )
}

async fn next(pipe: &mut NamedPipe) -> Value {
    serde_json::from_str(&pipe.line().await).unwrap()
}

#[tokio::test]
async fn a_program_hears_of_events_in_their_order_with_their_fields() {
    if !has("python3") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let mut pipe = NamedPipe::new(&place.path().join("heard"));
    let functions = ear(&place.path().join("heard"));
    let scene = Scene::with(|dir| python(dir, "ear", EVENTS, &functions)).await;
    let mut talk = scene.talk().await;
    let command = json!({"command": "echo"});
    let (_, mut heard) = tokio::join!(scene.call(&mut talk, "Bash", &command), async {
        let mut heard = Vec::new();
        while heard
            .last()
            .is_none_or(|it: &Value| it["type"] != "turn_finish")
        {
            heard.push(next(&mut pipe).await);
        }
        heard
    });
    let kinds: Vec<_> = heard
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    let expected = [
        "session_start",
        "prompt_submit",
        "tool_started",
        "text_delta",
        "turn_finish",
    ];
    assert_eq!(kinds, expected);
    assert!(heard.iter().all(|it| it["sessionId"] == json!(talk.id)));
    assert_eq!(heard[1]["prompt"], "go on");
    let end = heard.pop().unwrap();
    assert!(
        end["usage"].is_object() && end["duration"].is_u64(),
        "{end}"
    );
}

#[tokio::test]
async fn a_program_that_takes_no_events_costs_a_session_nothing() {
    if !has("python3") {
        return;
    }
    let events = "events = [\"text_delta\"]\n";
    let stuck = "\ndef event(params):\n    import time\n    time.sleep(1000)\n";
    let scene = Scene::with(|dir| python(dir, "stuck", events, stuck)).await;
    let words = |chat: ScriptedChat| (0..2_000).fold(chat, |chat, n| chat.text(&format!("{n} ")));
    for _ in 0..2 {
        let streamed = words(ScriptedChat::default()).finish("stop");
        scene.model.answer(streamed.usage(1, 1));
        let mut talk = scene.talk().await;
        let events = talk.turn(&scene.client, "stream").await;
        let expected: String = (0..2_000).map(|n| format!("{n} ")).collect();
        assert_eq!(streamed_text(&events), expected);
    }
    let processes = scene.processes().await;
    assert_eq!(processes[0].process, "extension:stuck");
}
