//! Editors that speak the Agent Client Protocol with `scorelctl acp`: JSON-RPC by hand over real pipes.

mod bounds;
mod conversation;
mod editor;
mod sessions;

use editor::Editor;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};

use crate::under_test::daemon;

/// A daemon whose model answers what is queued, then everything with a word.
struct Desk {
    daemon: DaemonUnderTest,
    model: ModelServer,
}

impl Desk {
    async fn new() -> Self {
        Self::with("").await
    }

    /// With more in the configuration.
    async fn with(config: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(says("ok"));
        let daemon = daemon(&model, config).await;
        Self { daemon, model }
    }

    /// An editor, after its handshake.
    async fn editor(&self) -> Editor {
        let mut editor = Editor::start(&self.daemon);
        editor.initialize().await;
        editor
    }
}

/// An answer of the model.
fn says(text: &str) -> ScriptedChat {
    ScriptedChat::default().text(text).finish("stop")
}
