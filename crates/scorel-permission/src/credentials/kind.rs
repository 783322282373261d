//! Kinds of credentials.

/// The kind of credentials in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CredentialKind {
    Logins,
    Passwords,
    Git,
    Packages,
    Cloud,
    Containers,
    Databases,
    Browsers,
    Histories,
    Mail,
    /// Other agents. A runner of such an agent shows the agent its own row.
    Agents,
    /// Readable for a superuser only.
    System,
}

impl CredentialKind {
    /// The contents of such a place, to follow "it holds".
    pub const fn held(self) -> &'static str {
        match self {
            Self::Logins => "keys and passwords of logins",
            Self::Passwords => "passwords and keys of a password store or keyring",
            Self::Git => "passwords and tokens of git and code hosts",
            Self::Packages => "tokens of package registries",
            Self::Cloud => "credentials of a cloud service",
            Self::Containers => "credentials of containers, clusters or infrastructure",
            Self::Databases => "passwords of databases",
            Self::Browsers => "a browser's passwords and cookies",
            Self::Histories => "a history of input, where passwords end up",
            Self::Mail => "mail, messages and the passwords for them",
            Self::Agents => "an agent's logins and conversations",
            Self::System => "passwords and keys of this machine",
        }
    }
}
