//! What a runner is made of.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use scorel_exec::{Environment, Sandbox, Umask};
use scorel_process::Secrets;

use crate::builtin::BuiltinRunner;
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
    /// The umask of its files; `None` is that of the daemon.
    pub umask: Option<Umask>,
    /// The model endpoint; `None` is the program's own. Only the wires that know how to pass it take one.
    pub base_url: Option<String>,
    /// The token for that endpoint.
    pub token: Option<String>,
    pub model: Option<String>,
    pub min_version: Option<Version>,
    /// The time in which it must be ready to take a prompt.
    pub start_limit: Duration,
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
    /// The usual time until a program takes a prompt: large ones take seconds on a busy machine.
    pub const START_LIMIT: Duration = Duration::from_secs(30);

    /// A built-in runner, without its token.
    pub fn of(builtin: &BuiltinRunner, environment: Environment) -> Self {
        Self {
            name: builtin.name.to_owned(),
            wire: builtin.wire,
            command: builtin.command.iter().map(|&it| it.to_owned()).collect(),
            environment,
            umask: None,
            base_url: builtin.base_url.map(str::to_owned),
            token: None,
            model: None,
            min_version: builtin.min_version.and_then(Version::find),
            start_limit: Self::START_LIMIT,
            sandbox: None,
            secrets: Secrets::default(),
            install: Some(builtin.install.to_owned()),
        }
    }

    /// Identifies what a process is started with, the values of secrets included: not for logs. Valid
    /// within this daemon only, since the hash is not stable.
    pub fn fingerprint(&self) -> u64 {
        // All fields, so that a new one is not forgotten.
        let Self {
            name,
            wire,
            command,
            environment,
            umask,
            base_url,
            token,
            model,
            min_version,
            sandbox,
            // Values of the environment, and the token.
            secrets: _,
            // Nothing that a process is started with.
            start_limit: _,
            install: _,
        } = self;
        let variables: Vec<_> = environment.iter().collect();
        let program = (name, wire, command, variables, umask, sandbox);
        let endpoint = (base_url, token, model, min_version);
        let mut hasher = DefaultHasher::new();
        format!("{program:?} {endpoint:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// The same with the token for its endpoint, which is cut out of what the program writes.
    #[must_use]
    pub fn with_token(mut self, token: String) -> Self {
        self.secrets = self.secrets.and(token.clone());
        self.token = Some(token);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_has_another_fingerprint_once_anything_of_its_process_changes() {
        let builtin = crate::builtin::builtin("codex").expect("a builtin");
        let variables = || [("A".to_owned(), "1".to_owned())];
        let setup = || RunnerSetup::of(builtin, Environment::of(variables()));
        let sandbox = |hidden: &str| Sandbox {
            hidden: vec![hidden.into()],
            ..Sandbox::default()
        };
        let mut variable = setup();
        variable.environment.set("A", "2");
        let mut hidden = setup();
        hidden.sandbox = Some(sandbox("/a"));
        let mut shown = hidden.clone();
        shown.sandbox = Some(Sandbox {
            shown: vec!["/a/b".into()],
            ..sandbox("/a")
        });
        let mut endpoint = setup();
        endpoint.base_url = Some("http://localhost".to_owned());
        let tokens = ["token-1", "token-2"].map(|token| setup().with_token(token.to_owned()));
        let [one, other] = tokens;
        let mut masked = setup();
        masked.umask = Some(Umask::PRIVATE);
        let all = [
            setup(),
            variable,
            hidden,
            shown,
            endpoint,
            one,
            other,
            masked,
        ];
        let prints: std::collections::BTreeSet<u64> =
            all.iter().map(RunnerSetup::fingerprint).collect();
        assert_eq!(prints.len(), all.len());
        assert_eq!(setup().fingerprint(), setup().fingerprint());
    }
}
