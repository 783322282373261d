use super::entry::Builtin;
use super::table::{BUILTINS, find_builtin};

/// A provider that needs no configuration but a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinProvider {
    /// The name used in configurations.
    pub name: &'static str,
    /// Empty for `demo`, which has no endpoint.
    pub base_url: &'static str,
    /// The environment variables that conventionally carry the key; the first one that is set wins.
    /// Empty if no key is needed.
    pub key_variables: &'static [&'static str],
}

impl BuiltinProvider {
    /// The offline model: no key, no network.
    pub const DEMO: Self = Self {
        name: "demo",
        base_url: "",
        key_variables: &[],
    };

    /// All built-in providers, `demo` first.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::DEMO).chain(BUILTINS.iter().map(Self::from))
    }

    /// Returns whether this is a server that users run on their own machine, such as Ollama.
    pub fn is_local(&self) -> bool {
        self.key_variables.is_empty() && *self != Self::DEMO
    }
}

impl From<&Builtin> for BuiltinProvider {
    fn from(builtin: &Builtin) -> Self {
        Self {
            name: builtin.name,
            base_url: builtin.base_url,
            key_variables: builtin.key_variables,
        }
    }
}

/// The environment variables that conventionally carry the key of a built-in provider; the first one
/// that is set wins. Empty if the provider is unknown or needs no key.
pub fn key_variables(provider: &str) -> &'static [&'static str] {
    find_builtin(provider).map_or(&[], |builtin| builtin.key_variables)
}

/// The names of all built-in providers, `demo` first.
pub fn builtin_providers() -> Vec<&'static str> {
    BuiltinProvider::all()
        .map(|provider| provider.name)
        .collect()
}
