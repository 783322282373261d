//! The programs themselves, with a home of their own and a scripted model.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use scorel_exec::Environment;
use scorel_runner::{RunnerSetup, WireKind, builtin};
use scorel_testkit::{ModelReply, ModelServer, RecordedRequest, ScriptedResponse, WireApi};
use serde_json::json;
use tempfile::TempDir;

use crate::scripted::{environment, runner, setup};
use crate::turn::Bench;

/// Where `npm install` has put them: the directory with `codex`, `claude` and `gemini`.
const PROGRAMS: &str = "SCOREL_RUNNER_PROGRAMS";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cli {
    Codex,
    Claude,
    Gemini,
}

/// A program with its model, its home and a project.
pub(crate) struct Installed {
    cli: Cli,
    pub(crate) model: ModelServer,
    pub(crate) home: TempDir,
    pub(crate) project: TempDir,
}

impl Cli {
    pub(crate) const ALL: [Self; 3] = [Self::Codex, Self::Claude, Self::Gemini];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
        }
    }

    /// `None` if it is not installed.
    pub(crate) fn program(self) -> Option<PathBuf> {
        let directory = std::env::var_os(PROGRAMS)?;
        let program = Path::new(&directory).join(self.name());
        program.exists().then_some(program)
    }

    const fn api(self) -> WireApi {
        match self {
            Self::Codex => WireApi::OpenAiResponses,
            Self::Claude => WireApi::AnthropicMessages,
            Self::Gemini => WireApi::GoogleGenerativeAi,
        }
    }

    /// Whether the request is one of a turn. Programs also ask for titles and the like.
    fn is_turn(self, request: &RecordedRequest) -> bool {
        let body = request.json();
        let has_tools = body["tools"]
            .as_array()
            .is_some_and(|tools| !tools.is_empty());
        has_tools
            && match self {
                Self::Codex => request.path.ends_with("/responses"),
                Self::Claude => request.path.starts_with("/v1/messages") && body["stream"] == true,
                Self::Gemini => request.path.contains("streamGenerateContent"),
            }
    }

    /// A reply that runs a command.
    pub(crate) fn command(self, id: &str, command: &str) -> ModelReply {
        let (tool, arguments) = match self {
            Self::Codex => ("exec_command", json!({"cmd": command})),
            Self::Claude => (
                "Bash",
                json!({"command": command, "description": "runs it"}),
            ),
            Self::Gemini => ("run_shell_command", json!({"command": command})),
        };
        let reply = ModelReply::default().text("running");
        reply.tool_call(id, tool, &arguments.to_string())
    }

    /// What the program finds in its environment, besides a home.
    fn environment(self, home: &Path, model: &str) -> Environment {
        let home = home.to_str().unwrap();
        let codex = format!("{home}/.codex");
        match self {
            Self::Codex => environment(&[("HOME", home), ("CODEX_HOME", &codex)]),
            Self::Claude => environment(&[
                ("HOME", home),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ]),
            Self::Gemini => environment(&[
                ("HOME", home),
                ("GEMINI_API_KEY", "key-of-the-test"),
                ("GOOGLE_GEMINI_BASE_URL", model),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ]),
        }
    }
}

impl Installed {
    /// A program whose model gives these replies, one after the other.
    pub(crate) async fn new(cli: Cli, replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let model = ModelServer::start().await.unwrap();
        let replies: Mutex<VecDeque<ModelReply>> = Mutex::new(replies.into_iter().collect());
        model.answer_with(move |request| {
            let next = || replies.lock().unwrap().pop_front();
            if cli.is_turn(request) {
                return match next() {
                    Some(reply) => reply.render(cli.api(), "model-1"),
                    None => ScriptedResponse::json(400, r#"{"error":{"message":"no more"}}"#),
                };
            }
            if request.method == "POST" {
                return ModelReply::default()
                    .text("{}")
                    .render(cli.api(), "model-1");
            }
            ScriptedResponse::status(404)
        });
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        match cli {
            Cli::Codex => fs::create_dir(home.path().join(".codex")).unwrap(),
            Cli::Claude => {}
            Cli::Gemini => {
                fs::create_dir(home.path().join(".gemini")).unwrap();
                let settings = json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": false},
                });
                let path = home.path().join(".gemini/settings.json");
                fs::write(path, settings.to_string()).unwrap();
            }
        }
        Self {
            cli,
            model,
            home,
            project,
        }
    }

    pub(crate) fn setup(&self) -> RunnerSetup {
        let root = format!("http://{}", self.model.address());
        let program = self.cli.program().unwrap();
        let environment = self.cli.environment(self.home.path(), &root);
        let setup = match self.cli {
            Cli::Codex => RunnerSetup::of(builtin("codex").unwrap(), environment),
            Cli::Claude => RunnerSetup::of(builtin("claude-code").unwrap(), environment),
            Cli::Gemini => RunnerSetup {
                environment,
                ..setup(WireKind::Acp, &[self.cli.name(), "--acp"])
            },
        };
        let mut command = setup.command.clone();
        command[0] = program.to_str().unwrap().to_owned();
        let base_url = match self.cli {
            Cli::Codex => Some(self.model.base_url()),
            Cli::Claude => Some(root),
            Cli::Gemini => None,
        };
        // A model that Codex knows may be given its tools in another way.
        let model = (self.cli == Cli::Codex).then(|| "model-1".to_owned());
        let setup = RunnerSetup {
            command,
            base_url,
            model,
            ..setup
        };
        match self.cli {
            Cli::Gemini => setup,
            Cli::Codex | Cli::Claude => setup.with_token("token-of-the-test".to_owned()),
        }
    }

    pub(crate) fn bench(&self) -> Bench {
        Bench::new(runner(self.setup()), self.project.path())
    }

    /// The bodies of the requests of turns.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.model.requests();
        let of_turns = requests.iter().filter(|request| self.cli.is_turn(request));
        let text = |request: &RecordedRequest| String::from_utf8_lossy(&request.body).into_owned();
        of_turns.map(text).collect()
    }
}
