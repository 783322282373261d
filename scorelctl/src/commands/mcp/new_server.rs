use std::collections::BTreeMap;

use scorel_proto::{McpEndpoint, McpProgram, TestMcpServerParams};

/// A server that is to be added.
pub(super) enum NewMcpServer {
    Program(McpProgram),
    Endpoint {
        endpoint: McpEndpoint,
        /// It is logged in to by OAuth.
        oauth: bool,
    },
}

impl NewMcpServer {
    /// Returns whether it can be tried before it is added: a login is to a server that is configured.
    pub(super) const fn can_be_tried(&self) -> bool {
        !matches!(self, Self::Endpoint { oauth: true, .. })
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
            Self::Endpoint { endpoint, oauth } => {
                let mut all = vec![format!("--url={}", endpoint.url)];
                all.extend(options("--header", &endpoint.headers));
                all.extend(options("--secret-header", &endpoint.secret_headers));
                all.extend(oauth.then(|| "--oauth".to_owned()));
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

fn options(option: &str, pairs: &BTreeMap<String, String>) -> Vec<String> {
    let pairs = pairs.iter();
    let options = pairs.map(|(name, value)| format!("{option}={name}={value}"));
    options.collect()
}
