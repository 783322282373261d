use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use scorel_extension::hook::HookSandbox;
use scorel_home::SecretName;
use serde::Deserialize;
use toml::Spanned;

use super::{
    ClientDocument, McpCommand, McpEndpoint, McpLogin, McpServer, McpServerName, McpShare,
    McpToolFilter, McpToolPattern, McpTransport,
};
use crate::bounded::{Bounded, number, seconds_or};
use crate::origin::DocumentOrigin;
use crate::{ConfigError, ConfigPath, VariableName, VariableValue};

/// The most servers of a file.
const MAX: usize = 100;

const MIB: u64 = 1024 * 1024;
const TIB: u64 = 1024 * 1024 * MIB;
const DAY: u64 = 24 * 3600;

/// `[mcp]` as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct McpSection {
    pub(crate) disabled: Vec<McpServerName>,
    pub(crate) client_document: Option<ClientDocument>,
    pub(crate) servers: Vec<Spanned<McpServerSection>>,
}

/// One of `[[mcp.servers]]` as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct McpServerSection {
    pub(crate) name: McpServerName,
    pub(super) transport: Option<TransportName>,
    pub(super) command: Option<String>,
    pub(super) args: Option<Vec<String>>,
    pub(super) env: Option<BTreeMap<VariableName, VariableValue>>,
    pub(super) secret_env: Option<BTreeMap<VariableName, SecretName>>,
    pub(super) cwd: Option<ConfigPath>,
    pub(super) sandbox: Option<HookSandbox>,
    pub(super) memory: Option<Bounded<{ 64 * MIB }, { 64 * TIB }>>,
    pub(super) processes: Option<Bounded<8, { 1024 * 1024 }>>,
    pub(super) url: Option<String>,
    pub(super) headers: Option<BTreeMap<String, String>>,
    pub(super) secret_headers: Option<BTreeMap<String, SecretName>>,
    pub(super) auth: Option<AuthName>,
    pub(super) client_id: Option<String>,
    pub(super) client_secret_env: Option<SecretName>,
    #[serde(default)]
    pub(super) share: McpShare,
    pub(super) allow: Option<Vec<McpToolPattern>>,
    #[serde(default)]
    pub(super) deny: Vec<McpToolPattern>,
    #[serde(default)]
    pub(super) trust_read_only: bool,
    pub(super) timeout_seconds: Option<Bounded<1, 3600>>,
    pub(super) idle_seconds: Option<Bounded<0, DAY>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum TransportName {
    Stdio,
    Http,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum AuthName {
    Oauth,
}

/// A mistake in an entry: its key, and a sentence.
type Mistake = (&'static str, String);

/// The servers that the tables describe, in their order. `is_users`: the file is the user's own, which may believe
/// servers.
pub(crate) fn mcp_servers(
    section: &McpSection,
    is_users: bool,
    origin: &DocumentOrigin,
) -> Result<Vec<McpServer>, ConfigError> {
    let mut names = BTreeSet::new();
    let mut servers = Vec::new();
    for section in &section.servers {
        let error = |(key, reason): Mistake| {
            let key = format!("mcp.servers.{key}");
            let reason = format!("`{key}`: {reason}");
            origin.error(Some(section.span()), Some(key), reason, None)
        };
        let found = section.get_ref();
        if servers.len() == MAX {
            let reason = format!("a file has at most {MAX} servers");
            return Err(error(("name", reason)));
        }
        if !is_users && found.trust_read_only {
            let reason = "only the user's file may set it".to_owned();
            return Err(error(("trustReadOnly", reason)));
        }
        if !names.insert(found.name.clone()) {
            let reason = format!("there is another server `{}` in this file", found.name);
            return Err(error(("name", reason)));
        }
        servers.push(found.server().map_err(error)?);
    }
    Ok(servers)
}

impl McpServerSection {
    fn server(&self) -> Result<McpServer, Mistake> {
        let transport = match self.transport_name()? {
            TransportName::Stdio => McpTransport::Stdio(self.command()?),
            TransportName::Http => McpTransport::Http(self.endpoint()?),
        };
        Ok(McpServer {
            share: self.share,
            tools: McpToolFilter {
                allow: self.allow.clone(),
                deny: self.deny.clone(),
            },
            trust_read_only: self.trust_read_only,
            timeout: seconds_or(self.timeout_seconds, McpServer::TIMEOUT),
            idle: match number(self.idle_seconds) {
                None => Some(McpServer::IDLE),
                Some(0) => None,
                Some(seconds) => Some(Duration::from_secs(seconds)),
            },
            ..McpServer::new(self.name.clone(), transport)
        })
    }

    /// The transport, as it is named or as its keys say.
    fn transport_name(&self) -> Result<TransportName, Mistake> {
        let implied = match (&self.command, &self.url) {
            (Some(_), None) => Some(TransportName::Stdio),
            (None, Some(_)) => Some(TransportName::Http),
            (Some(_), Some(_)) | (None, None) => None,
        };
        let missing = || {
            let reason = "it is missing, and one of `command` and `url` does not say it";
            ("transport", reason.to_owned())
        };
        self.transport.or(implied).ok_or_else(missing)
    }

    fn command(&self) -> Result<McpCommand, Mistake> {
        refuse(
            "http",
            [
                ("url", self.url.is_some()),
                ("headers", self.headers.is_some()),
                ("secretHeaders", self.secret_headers.is_some()),
                ("auth", self.auth.is_some()),
                ("clientId", self.client_id.is_some()),
                ("clientSecretEnv", self.client_secret_env.is_some()),
            ],
        )?;
        let env = self.env.clone().unwrap_or_default();
        let secret_env = self.secret_env.clone().unwrap_or_default();
        if let Some(name) = secret_env.keys().find(|name| env.contains_key(name)) {
            let reason = format!("`{}` is in `env` too", name.as_str());
            return Err(("secretEnv", reason));
        }
        Ok(McpCommand {
            program: given("command", self.command.as_deref())?,
            arguments: self.args.clone().unwrap_or_default(),
            env,
            secret_env,
            cwd: self.cwd.clone(),
            sandbox: self.sandbox,
            memory: number(self.memory),
            processes: number(self.processes),
        })
    }

    fn endpoint(&self) -> Result<McpEndpoint, Mistake> {
        refuse(
            "stdio",
            [
                ("command", self.command.is_some()),
                ("args", self.args.is_some()),
                ("env", self.env.is_some()),
                ("secretEnv", self.secret_env.is_some()),
                ("cwd", self.cwd.is_some()),
                ("sandbox", self.sandbox.is_some()),
                ("memory", self.memory.is_some()),
                ("processes", self.processes.is_some()),
            ],
        )?;
        let url = given("url", self.url.as_deref())?;
        McpEndpoint::new(
            url,
            self.headers.clone().unwrap_or_default(),
            self.secret_headers.clone().unwrap_or_default(),
            self.login()?,
        )
    }

    fn login(&self) -> Result<Option<McpLogin>, Mistake> {
        let login = McpLogin::new(self.client_id.as_deref(), self.client_secret_env.clone())?;
        match self.auth {
            Some(AuthName::Oauth) => Ok(Some(login)),
            None if login.client.is_some() => {
                Err(("clientId", "it is for `auth = \"oauth\"`".to_owned()))
            }
            None => Ok(None),
        }
    }
}

/// Refuses keys of the other transport.
fn refuse<const N: usize>(other: &str, keys: [(&'static str, bool); N]) -> Result<(), Mistake> {
    match keys.into_iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err((key, format!("it is for `transport = \"{other}\"`"))),
        None => Ok(()),
    }
}

fn given(key: &'static str, text: Option<&str>) -> Result<String, Mistake> {
    let text = text.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| (key, "it is missing".to_owned()))?;
    match text.contains('\0') {
        true => Err((key, "it has a NUL character in it".to_owned())),
        false => Ok(text.to_owned()),
    }
}
