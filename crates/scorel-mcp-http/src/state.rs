use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::param_headers::ParamHeaders;

/// The facts about a server that outlive its connections.
#[derive(Debug)]
pub struct HttpState {
    /// The command with which a person logs in.
    command: String,
    wants_login: AtomicBool,
    pub(crate) param_headers: ParamHeaders,
}

impl HttpState {
    /// Those about a server with this name.
    pub fn new(server: &str) -> Self {
        Self {
            command: format!("scorelctl mcp login {server}"),
            wants_login: AtomicBool::new(false),
            param_headers: ParamHeaders::default(),
        }
    }

    /// The command with which a person logs in, if the server waits for that.
    pub fn login(&self) -> Option<String> {
        let wants = self.wants_login.load(Ordering::Acquire);
        wants.then(|| self.command.clone())
    }

    /// The reason for people why a login is needed.
    pub(crate) fn login_reason(&self, reason: &str, is_configured: bool) -> String {
        self.wants_login.store(is_configured, Ordering::Release);
        let command = &self.command;
        match is_configured {
            true => format!("{reason}: `{command}` logs in"),
            false => format!("{reason}: with `auth = \"oauth\"` in its entry, `{command}` logs in"),
        }
    }

    pub(crate) fn answered(&self) {
        self.wants_login.store(false, Ordering::Release);
    }

    /// Takes the headers that a tool asks for.
    ///
    /// # Errors
    /// A sentence about what it asks for and no header can have, without its full stop.
    pub fn learn(&self, tool: &str, schema: &Value) -> Result<(), String> {
        self.param_headers.learn(tool, schema)
    }
}
