//! Sessions as files: out, in, and in from other tools.

mod bundles;
mod claude;
mod codex;
mod documents;
mod hostile;
mod transcripts;

use std::path::Path;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

pub(crate) use claude::PNG;

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, new_session};

/// A daemon whose model always says yes, and its project.
pub(crate) async fn with_project() -> (DaemonUnderTest, ModelServer, String) {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    // The helper registers the project.
    let (_client, session) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let project = raw.call("listProjects", &json!({}))["result"]["projects"][0].clone();
    raw.call("deleteSession", &json!({"sessionId": session, "now": true}));
    let project = project["projectId"].as_str().unwrap().to_owned();
    (daemon, model, project)
}

pub(crate) fn import(raw: &mut RawConnection, project: &str, path: &Path) -> Value {
    raw.call(
        "importSession",
        &json!({"projectId": project, "path": path}),
    )
}

/// The code and the kind of a refusal.
pub(crate) fn refusal(reply: &Value) -> (String, String) {
    let data = &reply["error"]["data"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&data["code"]), text(&data["details"]["kind"]))
}
