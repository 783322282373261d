//! The programs themselves below a daemon.

use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams, SessionId};
use scorel_testkit::{AgentCli, AgentModel, DaemonUnderTest, ModelReply, StrictServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::under_test::{SCORELD, connect};

/// The variable with the token for the agents' model, and its value.
pub(super) const TOKEN: (&str, &str) = ("AGENT_TOKEN", "token-of-the-test");

/// A daemon whose runners are the installed agents. They share a scripted model; the engine has one that
/// refuses what a provider would refuse.
pub(super) struct AgentScene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) agents: AgentModel,
    pub(super) engine: StrictServer,
    /// The agents' home.
    pub(super) home: TempDir,
}

impl AgentScene {
    /// With keys for all of their sections, and with more sections. `None`, with a reason printed, if one
    /// of the agents is not installed.
    pub(super) async fn start(clis: &[AgentCli], keys: &str, more: &str) -> Option<Self> {
        let mut scene = Self::prepare(clis, keys, more).await?;
        scene.daemon.spawn().await;
        Some(scene)
    }

    /// The same before the daemon is started.
    pub(super) async fn prepare(clis: &[AgentCli], keys: &str, more: &str) -> Option<Self> {
        if let Some(missing) = clis.iter().find(|cli| cli.program().is_none()) {
            println!(
                "skipped: {} is not installed in SCOREL_RUNNER_PROGRAMS",
                missing.name()
            );
            return None;
        }
        let agents = AgentModel::start().await.unwrap();
        let engine = StrictServer::start().await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap();
        let daemon = DaemonUnderTest::new(SCORELD)
            .with_variable(TOKEN.0, TOKEN.1)
            .with_variable("PATH", &path);
        daemon.configure_model(&engine.server().base_url());
        for cli in clis {
            cli.prepare_home(home.path());
            daemon.configure_more(&section(*cli, keys, &agents, home.path()));
        }
        daemon.configure_more(more);
        Some(Self {
            daemon,
            agents,
            engine,
            home,
        })
    }

    pub(super) fn reply(&self, reply: ModelReply) {
        self.agents.reply(reply);
    }

    /// Starts the daemon again.
    pub(super) async fn spawn(&mut self) -> Connection {
        self.daemon.spawn().await;
        connect(&self.daemon.socket()).await
    }
}

/// The runner's name in the configuration.
pub(super) const fn runner(cli: AgentCli) -> &'static str {
    match cli {
        AgentCli::Codex => "codex",
        AgentCli::Claude => "claude-code",
        AgentCli::Gemini => "gemini",
    }
}

/// `[runners.NAME]` of an agent.
fn section(cli: AgentCli, keys: &str, model: &AgentModel, home: &Path) -> String {
    let program = cli.program().unwrap();
    let token = format!("tokenEnv = \"{}\"", TOKEN.0);
    let (command, more) = match cli {
        AgentCli::Codex => (
            json!([program]),
            format!(
                "baseUrl = \"{}\"\nmodel = \"model-1\"\n{token}",
                model.server().base_url()
            ),
        ),
        AgentCli::Claude => (
            json!([program]),
            format!("baseUrl = \"{}\"\n{token}", model.root()),
        ),
        AgentCli::Gemini => (json!([program, "--acp"]), "type = \"acp\"".to_owned()),
    };
    let name = runner(cli);
    let variables = cli.variables(home, &model.root());
    let variables: String = variables
        .iter()
        .map(|(name, value)| format!("{name} = \"{value}\"\n"))
        .collect();
    format!(
        "[runners.{name}]\ncommand = {command}\n{more}\n{keys}\n[runners.{name}.env]\n{variables}"
    )
}

/// Answers a `permission_request`.
pub(super) async fn answer(
    client: &Connection,
    session_id: SessionId,
    request: &Value,
    decision: PermissionDecision,
) {
    let params = RespondPermissionParams {
        session_id,
        request_id: serde_json::from_value(request["requestId"].clone()).unwrap(),
        decision,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
}

pub(super) fn say(text: &str) -> ModelReply {
    ModelReply::default().text(text)
}
