//! The command line and the environment of each wire.

use std::path::{Path, PathBuf};

use scorel_engine::{RunnerError, RunnerErrorKind, RunnerOrder, ToolServer};
use scorel_exec::Environment;
use scorel_process::find_program;
use serde_json::json;

use crate::setup::RunnerSetup;
use crate::wire_kind::WireKind;

/// Where Codex finds the token of an endpoint that is not its own. Its commands get an empty one.
const CODEX_TOKEN: &str = "SCOREL_RUNNER_TOKEN";

/// The time that Codex gives a call of a tool of ours: `AgentStatus` waits for up to ten minutes.
const TOOL_SECONDS: u32 = 660;

const CLAUDE_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";

/// A hook that has each command begin without the token. `CLAUDE_CODE_SUBPROCESS_ENV_SCRUB` would do more,
/// but where bubblewrap or socat is missing no command runs with it.
const CLAUDE_HIDES_TOKEN: &str = r#"echo unset ANTHROPIC_AUTH_TOKEN >>"$CLAUDE_ENV_FILE""#;

/// What a program is started with.
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Environment,
}

impl Launch {
    pub(crate) fn of(setup: &RunnerSetup, order: &RunnerOrder) -> Result<Self, RunnerError> {
        let mut launch = Self {
            program: program(setup)?,
            arguments: setup.command.iter().skip(1).cloned().collect(),
            environment: setup.environment.clone(),
        };
        match setup.wire {
            WireKind::Codex => launch.codex(setup, order.tools.as_deref()),
            WireKind::ClaudeCode => launch.claude(setup, order),
            WireKind::Acp => {}
            WireKind::Command(_) => {
                if let Some(context) = &order.context {
                    launch.environment.set("SCOREL_CONTEXT_ID", context);
                }
                if let Some(tools) = &order.tools {
                    let socket = tools.socket.to_string_lossy();
                    launch.environment.set("SCOREL_TURN_SOCKET", &socket);
                }
            }
        }
        Ok(launch)
    }

    /// For the record.
    pub(crate) fn command(&self) -> Vec<String> {
        let program = self.program.to_string_lossy().into_owned();
        [vec![program], self.arguments.clone()].concat()
    }

    fn arguments(&mut self, arguments: &[&str]) {
        let owned = arguments.iter().map(|&argument| argument.to_owned());
        self.arguments.extend(owned);
    }

    fn codex(&mut self, setup: &RunnerSetup, tools: Option<&ToolServer>) {
        self.arguments(&["app-server"]);
        if let Some(tools) = tools {
            let server = format!("mcp_servers.{}", ToolServer::NAME);
            for setting in [
                format!("command={}", json!(tools.program)),
                format!("args={}", json!(tools.arguments)),
                format!("tool_timeout_sec={TOOL_SECONDS}"),
                // The daemon asks.
                "default_tools_approval_mode=\"approve\"".to_owned(),
            ] {
                self.arguments(&["-c", &format!("{server}.{setting}")]);
            }
        }
        let Some(url) = &setup.base_url else { return };
        let mut settings = vec![
            "model_provider=\"scorel\"".to_owned(),
            "model_providers.scorel.name=\"scorel\"".to_owned(),
            // A JSON string is a TOML string.
            format!("model_providers.scorel.base_url={}", json!(url)),
            "model_providers.scorel.wire_api=\"responses\"".to_owned(),
        ];
        if let Some(token) = &setup.token {
            settings.push(format!("model_providers.scorel.env_key=\"{CODEX_TOKEN}\""));
            // Not `exclude`: it is a list, and would replace the user's own.
            settings.push(format!("shell_environment_policy.set.{CODEX_TOKEN}=\"\""));
            self.environment.set(CODEX_TOKEN, token);
        }
        for setting in settings {
            self.arguments(&["-c", &setting]);
        }
    }

    fn claude(&mut self, setup: &RunnerSetup, order: &RunnerOrder) {
        self.arguments(&[
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            "--include-partial-messages",
            // Settings of the user may have another mode, in which it does not ask.
            "--permission-mode",
            "default",
            // Reports when the model gets a message that was sent while it worked.
            "--replay-user-messages",
            "--permission-prompt-tool",
            "stdio",
        ]);
        if let Some(url) = &setup.base_url {
            // Settings files have an `env` of their own, which wins over ours: the user's could lead the
            // token elsewhere.
            let mut settings = json!({"env": {"ANTHROPIC_BASE_URL": url}});
            if let Some(token) = &setup.token {
                settings["hooks"] = json!({"SessionStart": [{"hooks": [
                    {"type": "command", "command": CLAUDE_HIDES_TOKEN},
                ]}]});
                self.environment.set(CLAUDE_TOKEN, token);
            }
            let settings = settings.to_string();
            self.arguments(&["--setting-sources", "", "--settings", &settings]);
            self.environment.set("ANTHROPIC_BASE_URL", url);
        } else {
            self.arguments(&["--setting-sources", "user"]);
        }
        self.environment.set("DISABLE_AUTOUPDATER", "1");
        if let Some(model) = &setup.model {
            self.arguments(&["--model", model]);
        }
        if let Some(tools) = &order.tools {
            let server = json!({"command": tools.program, "args": tools.arguments});
            let config = json!({"mcpServers": {ToolServer::NAME: server}}).to_string();
            // The daemon asks, once the call has come.
            let allowed = format!("mcp__{}", ToolServer::NAME);
            self.arguments(&["--mcp-config", &config, "--allowedTools", &allowed]);
        }
        if let Some(context) = &order.context {
            self.arguments(&["--resume", context]);
        }
    }
}

/// The program of a setup.
pub(crate) fn program(setup: &RunnerSetup) -> Result<PathBuf, RunnerError> {
    let name = setup.command.first().map_or("", String::as_str);
    // Without a base: a relative path is one from where the daemon works, which is nowhere.
    let found = find_program(name, &setup.environment, Path::new(""));
    found.map_err(|missing| {
        let error = RunnerError::new(RunnerErrorKind::NotInstalled, missing.to_string());
        match &setup.install {
            Some(install) => error.with_hint(format!("install it with `{install}`")),
            None => error,
        }
    })
}
