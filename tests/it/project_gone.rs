//! A project whose directory was deleted under its session.

use std::fs;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::json;

use crate::under_test::{SCORELD, Watch, new_session, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_in_a_deleted_directory_fails_until_it_is_back() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let write = json!({"path": "made", "content": "x"}).to_string();
    let call = |call: &str| {
        let call = ScriptedChat::default().tool_call(call, "Write", &write);
        model.answer(call.finish("tool_calls"));
    };
    call("call_1");
    send(&client, id, "Make it.").await;
    watch.until("turn_outcome").await;
    assert!(daemon.project().join("made").exists());

    fs::remove_dir_all(daemon.project()).unwrap();
    let before = model.requests().len();
    send(&client, id, "Where are you?").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["error"]["code"], "project_gone", "{outcome}");
    let project = daemon.project().display().to_string();
    let message = outcome["error"]["message"].as_str().unwrap();
    assert!(message.contains(&project), "{message}");
    assert_eq!(model.requests().len(), before, "the model is not asked");

    fs::create_dir(daemon.project()).unwrap();
    call("call_2");
    send(&client, id, "Make it again.").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert!(
        daemon.project().join("made").exists(),
        "in the new directory"
    );
}
