//! A daemon whose sessions have programs: extensions, or servers.

use scorel_client::Connection;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};

use crate::under_test::{SCORELD, connect};

/// The daemon, its model and a client.
pub(crate) struct ProgramStage {
    pub(crate) daemon: DaemonUnderTest,
    pub(crate) model: ModelServer,
    pub(crate) client: Connection,
}

impl ProgramStage {
    /// With a model that says `done`, the programs of this machine, and a secret of this name. `tables` prepares the home,
    /// and gives what is added to the configuration, behind the keys of the model.
    pub(crate) async fn start(
        secret: &str,
        tables: impl FnOnce(&DaemonUnderTest) -> String,
    ) -> Self {
        let model = ModelServer::start().await.unwrap();
        let done = ScriptedChat::default().text("done").finish("stop");
        model.fallback(done.usage(1, 1));
        let path = std::env::var("PATH").unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("PATH", &path);
        daemon.configure_model(&model.base_url());
        let tables = tables(&daemon);
        daemon.configure_more(&tables);
        daemon.keep_canary(secret);
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        Self {
            daemon,
            model,
            client,
        }
    }
}
