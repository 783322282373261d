//! The programs themselves, with a home of their own and a scripted model.

use scorel_exec::Environment;
use scorel_runner::{RunnerSetup, WireKind, builtin};
use scorel_testkit::{AgentCli, AgentModel, ModelReply};
use tempfile::TempDir;

use crate::scripted::{environment, runner, setup};
use crate::turn::Bench;

/// A program with its model, its home and a project.
pub(crate) struct Installed {
    cli: AgentCli,
    model: AgentModel,
    pub(crate) home: TempDir,
    pub(crate) project: TempDir,
}

impl Installed {
    /// A program whose model gives these replies, one after the other.
    pub(crate) async fn new(cli: AgentCli, replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let model = AgentModel::start().await.unwrap();
        for reply in replies {
            model.reply(reply);
        }
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        cli.prepare_home(home.path());
        Self {
            cli,
            model,
            home,
            project,
        }
    }

    pub(crate) fn setup(&self) -> RunnerSetup {
        let root = self.model.root();
        let program = self.cli.program().unwrap();
        let environment = self.environment(&root);
        let setup = match self.cli {
            AgentCli::Codex => RunnerSetup::of(builtin("codex").unwrap(), environment),
            AgentCli::Claude => RunnerSetup::of(builtin("claude-code").unwrap(), environment),
            AgentCli::Gemini => RunnerSetup {
                environment,
                ..setup(WireKind::Acp, &[self.cli.name(), "--acp"])
            },
        };
        let mut command = setup.command.clone();
        command[0] = program.to_str().unwrap().to_owned();
        let base_url = match self.cli {
            AgentCli::Codex => Some(self.model.server().base_url()),
            AgentCli::Claude => Some(root),
            AgentCli::Gemini => None,
        };
        // A model that Codex knows may be given its tools in another way.
        let model = (self.cli == AgentCli::Codex).then(|| "model-1".to_owned());
        let setup = RunnerSetup {
            command,
            base_url,
            model,
            ..setup
        };
        match self.cli {
            AgentCli::Gemini => setup,
            AgentCli::Codex | AgentCli::Claude => setup.with_token("token-of-the-test".to_owned()),
        }
    }

    fn environment(&self, root: &str) -> Environment {
        let variables = self.cli.variables(self.home.path(), root);
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        environment(&variables)
    }

    pub(crate) fn bench(&self) -> Bench {
        Bench::new(runner(self.setup()), self.project.path())
    }

    /// The bodies of the requests of turns.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.model.requests()
    }
}
