use std::collections::BTreeMap;

use scorel_proto::{McpEndpoint, McpProgram, TestMcpServerParams};

/// A server that is to be added.
pub(super) enum NewMcpServer {
    Program(McpProgram),
    Endpoint {
        endpoint: McpEndpoint,
        login: Option<NewLogin>,
    },
}

/// The login by OAuth that a server wants.
pub(super) struct NewLogin {
    pub(super) client_id: Option<String>,
    pub(super) client_secret_env: Option<String>,
}

impl NewMcpServer {
    /// Returns whether it can be tried before it is added: a login is to a server that is configured.
    pub(super) const fn can_be_tried(&self) -> bool {
        !matches!(self, Self::Endpoint { login: Some(_), .. })
    }

    /// The arguments that say the way to it.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Program(program) => {
                let mut all = options("--env", &program.env);
                all.extend(options("--secret-env", &program.secret_env));
                all.push("--".to_owned());
                all.extend(program.command.iter().cloned());
                all
            }
            Self::Endpoint { endpoint, login } => {
                let mut all = vec![format!("--url={}", endpoint.url)];
                all.extend(options("--header", &endpoint.headers));
                all.extend(options("--secret-header", &endpoint.secret_headers));
                all.extend(login.iter().flat_map(NewLogin::arguments));
                all
            }
        }
    }

    pub(super) fn add_to(&self, params: &mut TestMcpServerParams) {
        match self {
            Self::Program(program) => params.program = Some(program.clone()),
            Self::Endpoint { endpoint, .. } => params.endpoint = Some(endpoint.clone()),
        }
    }
}

impl NewLogin {
    fn arguments(&self) -> Vec<String> {
        let mut all = vec!["--oauth".to_owned()];
        let named = |option: &str, text: &str| format!("--{option}={text}");
        let (id, secret) = (self.client_id.as_deref(), self.client_secret_env.as_deref());
        all.extend(id.map(|it| named("client-id", it)));
        all.extend(secret.map(|it| named("client-secret-env", it)));
        all
    }
}

fn options(option: &str, pairs: &BTreeMap<String, String>) -> Vec<String> {
    let pairs = pairs.iter();
    let options = pairs.map(|(name, value)| format!("{option}={name}={value}"));
    options.collect()
}
