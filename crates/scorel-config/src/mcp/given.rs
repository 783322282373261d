use std::collections::BTreeMap;

use scorel_extension::Problem;
use scorel_home::SecretName;

use super::{McpCommand, McpEndpoint, McpLogin, McpServer, McpServerName, McpTransport};
use crate::{VariableName, VariableValue};

impl McpServer {
    /// A server by its command line, as a person gives it.
    ///
    /// # Errors
    /// The part that is refused, as its key.
    pub fn of_command(
        name: &str,
        command: &[String],
        env: &BTreeMap<String, String>,
        secret_env: &BTreeMap<String, String>,
    ) -> Result<Self, Problem> {
        let command = McpCommand::given(command, env, secret_env)?;
        Ok(Self::new(named(name)?, McpTransport::Stdio(command)))
    }

    /// A server by its address, as a person gives it.
    ///
    /// # Errors
    /// As [`Self::of_command`].
    pub fn of_endpoint(
        name: &str,
        url: &str,
        headers: &BTreeMap<String, String>,
        secret_headers: &BTreeMap<String, String>,
    ) -> Result<Self, Problem> {
        let endpoint = McpEndpoint::given(url, headers, secret_headers, None)?;
        Ok(Self::new(named(name)?, McpTransport::Http(endpoint)))
    }
}

fn named(name: &str) -> Result<McpServerName, Problem> {
    let name = name.parse::<McpServerName>();
    name.map_err(|error| Problem::of("name", error.to_string()))
}

impl McpEndpoint {
    /// As [`McpServer::of_endpoint`].
    ///
    /// # Errors
    /// As there.
    pub fn given(
        url: &str,
        headers: &BTreeMap<String, String>,
        secret_headers: &BTreeMap<String, String>,
        login: Option<McpLogin>,
    ) -> Result<Self, Problem> {
        let mut secrets = BTreeMap::new();
        for (header, secret) in secret_headers {
            let secret = SecretName::try_from(secret.clone());
            let secret = secret.map_err(|error| Problem::of("secretHeaders", error.to_string()))?;
            secrets.insert(header.clone(), secret);
        }
        Self::new(url.to_owned(), headers.clone(), secrets, login)
            .map_err(|(key, reason)| Problem::of(key, reason))
    }
}

impl McpCommand {
    /// As [`McpServer::of_command`].
    ///
    /// # Errors
    /// As there.
    pub fn given(
        command: &[String],
        env: &BTreeMap<String, String>,
        secret_env: &BTreeMap<String, String>,
    ) -> Result<Self, Problem> {
        let refused = |key: &str, reason: &dyn ToString| Problem::of(key, reason.to_string());
        let Some((program, arguments)) = command.split_first() else {
            return Err(refused("command", &"it is missing"));
        };
        if program.trim().is_empty() || command.iter().any(|word| word.contains('\0')) {
            return Err(refused("command", &"it is empty, or has a NUL character"));
        }
        let variable = |key: &str, name: &str| {
            VariableName::try_from(name.to_owned()).map_err(|error| refused(key, &error))
        };
        let mut values = BTreeMap::new();
        for (name, value) in env {
            let value = VariableValue::try_from(value.clone());
            let value = value.map_err(|error| refused("env", &error))?;
            values.insert(variable("env", name)?, value);
        }
        let mut secrets = BTreeMap::new();
        for (name, secret) in secret_env {
            if env.contains_key(name) {
                return Err(refused("secretEnv", &format!("`{name}` is in `env` too")));
            }
            let secret = SecretName::try_from(secret.clone());
            let secret = secret.map_err(|error| refused("secretEnv", &error))?;
            secrets.insert(variable("secretEnv", name)?, secret);
        }
        Ok(Self {
            program: program.clone(),
            arguments: arguments.to_vec(),
            env: values,
            secret_env: secrets,
            cwd: None,
            sandbox: None,
            memory: None,
            processes: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_is_none_is_refused_by_its_key() {
        let pair = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let none = BTreeMap::new();
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let (good, env, secret) = (words(&["db", "-r"]), pair("A", "1"), pair("B", "KEY"));
        let server = McpServer::of_command("db", &good, &env, &secret).unwrap();
        assert_eq!(server.line(), "db -r");
        for (server, key) in [
            (McpServer::of_command("Db", &good, &none, &none), "name"),
            (McpServer::of_command("db", &[], &none, &none), "command"),
            (
                McpServer::of_command("db", &words(&[" "]), &none, &none),
                "command",
            ),
            (
                McpServer::of_command("db", &good, &pair("A-B", "1"), &none),
                "env",
            ),
            (
                McpServer::of_command("db", &good, &none, &pair("A", "a b")),
                "secretEnv",
            ),
            (
                McpServer::of_command("db", &good, &env, &pair("A", "KEY")),
                "secretEnv",
            ),
        ] {
            assert_eq!(server.unwrap_err().key.as_deref(), Some(key));
        }
    }
}
