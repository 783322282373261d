//! The providers that need no description.

mod hosts;
mod model;
mod models;
mod table;

pub(crate) use model::KnownModel;

use scorel_proto::ThinkingLevel;

use crate::wire_dialect::WireDialect;
use table::BUILTINS;

/// One provider of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    pub(crate) key: Key,
    pub(crate) wire: WireDialect,
    pub(crate) colons: Colons,
    /// The models, the one to suggest first.
    pub(crate) models: &'static [KnownModel],
}

/// Whether a provider wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// It does; the variables of the environment in which people keep it. The first that is set
    /// counts.
    Required(&'static [&'static str]),
    /// A server of one's own: a key is sent if there is one.
    Optional,
}

/// Where the ids of a provider's models may have colons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colons {
    Nowhere,
    /// After this beginning only.
    After(&'static str),
    Anywhere,
}

impl Builtin {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        BUILTINS.iter().find(|builtin| builtin.name == name)
    }

    /// The provider whose endpoint has that host, so that a custom entry for it gets its dialect.
    pub(crate) fn with_host(host: &str) -> Option<&'static Self> {
        let mut public = BUILTINS
            .iter()
            .filter(|builtin| matches!(builtin.key, Key::Required(_)));
        public.find(|builtin| builtin.host() == Some(host))
    }

    /// The first provider that has that model.
    pub(crate) fn with_model(id: &str) -> Option<&'static Self> {
        BUILTINS.iter().find(|builtin| builtin.model(id).is_some())
    }

    /// The model of that id, which may have the date of a version at its end.
    pub(crate) fn model(&self, id: &str) -> Option<&'static KnownModel> {
        let with = |id: &str| self.models.iter().find(|model| model.id == id);
        with(id).or_else(|| with(undated(id)?))
    }

    /// The host of its endpoint.
    pub(crate) fn host(&self) -> Option<&'static str> {
        let (_, rest) = self.base_url.split_once("://")?;
        rest.split(['/', ':']).next()
    }
}

/// The id without a date at its end, such as `-20251001` or `-2024-08-06`.
fn undated(id: &str) -> Option<&str> {
    let is_date = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.starts_with("-20") && digits == 8 && text.len() - digits == text.matches('-').count()
    };
    [9, 11].into_iter().find_map(|length| {
        let (id, date) = id.split_at_checked(id.len().checked_sub(length)?)?;
        is_date(date).then_some(id)
    })
}

/// The ways of a host that is no provider of the table, as far as they are known.
pub(crate) fn dialect_of_host(host: &str) -> Option<WireDialect> {
    hosts::dialect_of(host)
}

/// What is known about a provider that needs no description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinProvider {
    /// Its name.
    pub name: &'static str,
    /// Where its endpoint is; empty for `demo`, which needs none.
    pub base_url: &'static str,
    /// The variables of the environment in which people keep its key, of which the first that is
    /// set counts; empty if it needs none.
    pub key_variables: &'static [&'static str],
}

impl BuiltinProvider {
    /// The model that needs neither a key nor a network.
    pub const DEMO: Self = Self {
        name: "demo",
        base_url: "",
        key_variables: &[],
    };

    /// All of them, `demo` first.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::DEMO).chain(BUILTINS.iter().map(Self::from))
    }

    /// Whether it is a server that people run on their own machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.key_variables.is_empty() && *self != Self::DEMO
    }
}

impl From<&Builtin> for BuiltinProvider {
    fn from(builtin: &Builtin) -> Self {
        Self {
            name: builtin.name,
            base_url: builtin.base_url,
            key_variables: match builtin.key {
                Key::Required(variables) => variables,
                Key::Optional => &[],
            },
        }
    }
}

/// The variables of the environment in which people keep the key of a built-in provider, of which
/// the first that is set counts; empty if the provider is unknown or needs no key.
#[must_use]
pub fn key_variables(provider: &str) -> &'static [&'static str] {
    Builtin::find(provider).map_or(&[], |builtin| BuiltinProvider::from(builtin).key_variables)
}

/// The names of all built-in providers, `demo` first.
#[must_use]
pub fn builtin_providers() -> Vec<&'static str> {
    BuiltinProvider::all()
        .map(|provider| provider.name)
        .collect()
}

/// The levels between which a model can be switched, if they are fewer than its host's.
pub(crate) type Levels = Option<&'static [ThinkingLevel]>;

#[cfg(test)]
mod tests;
