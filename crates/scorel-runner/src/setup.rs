//! What a runner is made of.

use std::fmt;

use scorel_exec::{Environment, Sandbox};

use crate::builtin::BuiltinRunner;
use crate::secrets::Secrets;
use crate::version::Version;
use crate::wire_kind::WireKind;

/// A runner with all that its programs are started with. Secrets are resolved, and the environment is
/// complete: nothing is added but what the wire itself needs.
#[derive(Clone)]
pub struct RunnerSetup {
    pub name: String,
    pub wire: WireKind,
    /// The program and its first arguments. No secret: every process of the machine can read them.
    pub command: Vec<String>,
    pub environment: Environment,
    /// The model endpoint; `None` is the program's own. Only the wires that know how to pass it take one.
    pub base_url: Option<String>,
    /// The token for that endpoint.
    pub token: Option<String>,
    pub model: Option<String>,
    pub min_version: Option<Version>,
    /// `None` leaves the program to a sandbox of its own.
    pub sandbox: Option<Sandbox>,
    /// Cut out of what the program writes, the token included.
    pub secrets: Secrets,
    /// How to install the program.
    pub install: Option<String>,
}

impl fmt::Debug for RunnerSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerSetup")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

impl RunnerSetup {
    /// A built-in runner, without its token.
    #[must_use]
    pub fn of(builtin: &BuiltinRunner, environment: Environment) -> Self {
        Self {
            name: builtin.name.to_owned(),
            wire: builtin.wire,
            command: builtin.command.iter().map(|&it| it.to_owned()).collect(),
            environment,
            base_url: builtin.base_url.map(str::to_owned),
            token: None,
            model: None,
            min_version: builtin.min_version.and_then(Version::find),
            sandbox: None,
            secrets: Secrets::default(),
            install: Some(builtin.install.to_owned()),
        }
    }

    /// The same with the token for its endpoint, which is cut out of what the program writes.
    #[must_use]
    pub fn with_token(mut self, token: String) -> Self {
        self.secrets = self.secrets.and(token.clone());
        self.token = Some(token);
        self
    }
}
