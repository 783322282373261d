use serde::Deserialize;

/// The sandbox of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HookSandbox {
    /// Nothing does.
    None,
    /// The sandbox of commands, without network.
    Workspace,
    /// The sandbox of commands, with network.
    Network,
}

impl HookSandbox {
    /// The sandbox as it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Workspace => "workspace",
            Self::Network => "network",
        }
    }
}
