use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{ModelReply, RecordedRequest, WireApi};

/// Where `tests/runners/set-up` has put the programs: the directory with `codex`, `claude` and `gemini`.
const PROGRAMS: &str = "SCOREL_RUNNER_PROGRAMS";

/// Codex puts an empty `.git` into each directory that its sandbox may write, and leaves it there when it is
/// killed. In `/tmp` that would be above the projects of other tests.
const CODEX_CONFIG: &str = "\
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
";

/// A foreign agent that tests start, with a home of its own and a scripted model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentCli {
    Codex,
    Claude,
    Gemini,
}

impl AgentCli {
    pub const ALL: [Self; 3] = [Self::Codex, Self::Claude, Self::Gemini];

    /// The program's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
        }
    }

    /// `None` if it is not installed.
    pub fn program(self) -> Option<PathBuf> {
        let directory = std::env::var_os(PROGRAMS)?;
        let program = Path::new(&directory).join(self.name());
        program.exists().then_some(program)
    }

    /// The API that it asks its model in.
    pub const fn api(self) -> WireApi {
        match self {
            Self::Codex => WireApi::OpenAiResponses,
            Self::Claude => WireApi::AnthropicMessages,
            Self::Gemini => WireApi::GoogleGenerativeAi,
        }
    }

    /// Returns whether the request is its, and one of a turn. Programs also ask for titles and the like.
    pub fn is_turn(self, request: &RecordedRequest) -> bool {
        let is_its = match self {
            Self::Codex => request.path.ends_with("/responses"),
            Self::Claude => request.path.starts_with("/v1/messages"),
            Self::Gemini => request.path.contains("streamGenerateContent"),
        };
        if !is_its || request.method != "POST" {
            return false;
        }
        let body = request.json();
        let tools = body["tools"].as_array();
        let has_tools = tools.is_some_and(|tools| !tools.is_empty());
        has_tools && (self != Self::Claude || body["stream"] == true)
    }

    /// A reply that runs a command.
    pub fn command(self, id: &str, command: &str) -> ModelReply {
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

    /// The variables that it needs besides the `PATH`. `model` is the root of its model's URLs.
    pub fn variables(self, home: &Path, model: &str) -> Vec<(String, String)> {
        let home = home.display().to_string();
        let codex = format!("{home}/.codex");
        let more: &[(&str, &str)] = match self {
            Self::Codex => &[("CODEX_HOME", &codex)],
            Self::Claude => &[("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")],
            Self::Gemini => &[
                ("GEMINI_API_KEY", "key-of-the-test"),
                ("GOOGLE_GEMINI_BASE_URL", model),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ],
        };
        let all = [("HOME", home.as_str())]
            .into_iter()
            .chain(more.iter().copied());
        all.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// Writes what it expects in its home.
    ///
    /// # Panics
    ///
    /// If that cannot be written.
    pub fn prepare_home(self, home: &Path) {
        match self {
            Self::Codex => {
                fs::create_dir_all(home.join(".codex")).expect("a writable home");
                let path = home.join(".codex/config.toml");
                fs::write(path, CODEX_CONFIG).expect("a writable home");
            }
            Self::Claude => {}
            Self::Gemini => {
                fs::create_dir_all(home.join(".gemini")).expect("a writable home");
                let settings = json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": false},
                });
                let path = home.join(".gemini/settings.json");
                fs::write(path, settings.to_string()).expect("a writable home");
            }
        }
    }
}
