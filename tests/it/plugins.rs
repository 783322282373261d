//! Plugins of other agents: added, trusted, used.

mod add;
mod commands;
mod confined;
mod points;
mod published;
mod untrusted;

use std::fs;
use std::path::Path;

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

pub(crate) use published::add;

use crate::under_test::{SCORELD, Watch, new_session};

/// Writes files below a directory.
fn write_all(root: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A plugin with a command and a skill.
const TIDY: [(&str, &str); 3] = [
    (
        ".claude-plugin/plugin.json",
        r#"{"name": "tidy", "version": "1.2.0", "description": "Tidies up"}"#,
    ),
    (
        "commands/fix.md",
        "---\ndescription: Fix a file\nargument-hint: FILE\nmodel: opus\n---\n\
         Fix $1, then $2. Run ${CLAUDE_PLUGIN_ROOT}/check.sh. Status: !`touch ran`\n",
    ),
    (
        "skills/style/SKILL.md",
        "---\nname: style\ndescription: Use when: code is written\n---\nUse tabs.\n",
    ),
];

/// A daemon whose model says a word, with a session.
struct Desk {
    daemon: DaemonUnderTest,
    model: ModelServer,
    client: Connection,
    id: SessionId,
    watch: Watch,
}

impl Desk {
    async fn with(prepare: impl FnOnce(&DaemonUnderTest)) -> Self {
        Self::on(DaemonUnderTest::new(SCORELD), prepare).await
    }

    async fn on(mut daemon: DaemonUnderTest, prepare: impl FnOnce(&DaemonUnderTest)) -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(ScriptedChat::default().text("done").finish("stop"));
        daemon.configure_model(&model.base_url());
        daemon.keep_canary("ANY_API_KEY");
        prepare(&daemon);
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        watch.until("sync_end").await;
        Self {
            daemon,
            model,
            client,
            id,
            watch,
        }
    }

    async fn until_done(&mut self) -> Vec<Value> {
        self.watch.until("turn_outcome").await
    }

    /// Returns whether the last request has a text of the user with this in it.
    fn asked(&self, part: &str) -> bool {
        self.texts().iter().any(|it| it.contains(part))
    }

    /// The texts of the user in the last request.
    fn texts(&self) -> Vec<String> {
        let requests = self.model.requests();
        let body = requests.last().unwrap().json();
        let messages = body["messages"].as_array().unwrap().clone();
        let of_user = messages.iter().filter(|it| it["role"] == "user");
        of_user.map(|it| it["content"].to_string()).collect()
    }
}
