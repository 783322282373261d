//! Programs that send messages through the channels of their manifests.

use serde_json::json;

use super::scene::{Scene, has, python};

const MANIFEST: &str = "channels = [\"board\", \"cron\"]\n\
                        [[tools]]\nname = \"tell\"\ndescription = \"Tells.\"\n";

const TELLER: &str = r#"
def tool_call(params):
    def send(channel, **more):
        source = {"channel": channel, "externalId": "1"}
        return ask("sendMessage", sessionId=params["sessionId"], content="Card 1 moved.", channel=source, **more)
    note("sent", [send("board"), send("board")])
    note("refused", [send("other")["data"], send("cron")["data"], send("board", model="x")["data"]])
    return {"content": "told"}
"#;

#[tokio::test]
async fn a_program_sends_through_the_channels_that_it_declares() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|dir| python(dir, "teller", MANIFEST, TELLER)).await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "ext__teller__tell", &json!({})).await;
    let sent = scene.noted("teller", "sent").remove(0);
    assert_eq!(sent[0], sent[1], "accepted once");
    assert_eq!(
        (&sent[0]["status"], &sent[0]["queue"]),
        (&json!("queued"), &json!("followUp"))
    );
    let refused = scene.noted("teller", "refused").remove(0);
    let codes: Vec<_> = (0..3)
        .map(|at| refused[at]["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["forbidden", "forbidden", "invalid_params"]);
    talk.until("turn_outcome").await;
    let log = scene.daemon.log(&talk.id.to_string());
    let sources: Vec<_> = log
        .iter()
        .filter(|it| it["type"] == "channel_inject")
        .collect();
    assert_eq!(sources.len(), 1);
    assert_eq!(sources[0]["channel"], "board");
    assert_eq!(sources[0]["mode"], "readonly");
}
