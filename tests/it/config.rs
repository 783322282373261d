//! The configuration: how it is shown and changed, and how a daemon learns of changes.

mod command;
mod project_file;
mod saves;
mod unwatched;

use std::fs;
use std::path::PathBuf;

use scorel_client::{Connection, Subscription};
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD, Watch, connect, create_session, send};

/// A daemon with a session, and a client that hears of the configuration.
struct ConfigScene {
    daemon: DaemonUnderTest,
    model: ModelServer,
    client: Connection,
    session: SessionId,
    watch: Watch,
    host: Subscription,
}

impl ConfigScene {
    async fn new() -> Self {
        Self::under(Vec::new()).await
    }

    /// With a daemon that runs under a wrapper.
    async fn under(wrapper: Vec<String>) -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(ScriptedChat::default().text("done").finish("stop"));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.run_under(wrapper);
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        let session = create_session(&client, &daemon).await;
        let watch = Watch::from_start(&client, session).await;
        // On a connection of its own: unread events hold up the replies behind them.
        let hearing = connect(&daemon.socket()).await;
        let host = hearing.subscribe_host().await.unwrap();
        Self {
            daemon,
            model,
            client,
            session,
            watch,
            host,
        }
    }

    fn path(&self) -> PathBuf {
        self.daemon.home().join("config.toml")
    }

    /// A valid file whose model has this id.
    fn text(&self, id: &str) -> String {
        format!(
            "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"test\"\n\
             id = \"{id}\"\nbaseUrl = \"{}\"\n",
            self.model.base_url()
        )
    }

    /// The model that the next turn asks; `None` for the built-in demonstration.
    async fn asked(&mut self) -> Option<String> {
        let _before = self.model.take_requests();
        send(&self.client, self.session, "go on").await;
        let turn = self.watch.until("turn_outcome").await;
        let requests = self.model.take_requests();
        let Some(request) = requests.last() else {
            // Shown if the test fails.
            println!("{turn:#?}\n{}", self.daemon.errors());
            return None;
        };
        let request = request.json();
        Some(request["model"].as_str().unwrap().to_owned())
    }

    /// The next host event of a type.
    async fn told(&mut self, type_name: &str) -> Value {
        loop {
            let event = timeout(PATIENCE, self.host.next()).await;
            let event = event.expect("an event in time").expect("the feed goes on");
            let event: Value = serde_json::from_str(event.get()).unwrap();
            if event["type"] == type_name {
                return event;
            }
        }
    }

    /// Waits until clients were told of a change of this key.
    async fn told_of(&mut self, key: &str) -> Value {
        loop {
            let event = self.told("config_changed").await;
            if event["keys"].as_array().unwrap().iter().any(|it| it == key) {
                return event;
            }
        }
    }

    /// Makes the daemon know the project, and its file.
    fn write_project(&self, text: &str) -> PathBuf {
        let dir = self.daemon.project().join(".scorel");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("config.toml"), text).unwrap();
        dir
    }
}
