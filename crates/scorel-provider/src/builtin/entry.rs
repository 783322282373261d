use super::KnownModel;
use super::catalogue::{family_facts, models_of};
use crate::ModelFacts;
use crate::wire_dialect::WireDialect;

/// A row of the table of built-in providers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    /// The environment variables that conventionally carry the key; the first one that is set wins. Empty for
    /// a local server, which needs none: a key is sent if there is one.
    pub(crate) key_variables: &'static [&'static str],
    pub(crate) wire: WireDialect,
    pub(crate) colons: ColonRule,
    pub(crate) models: ModelSupply,
}

/// Whose models a provider serves, which decides what their ids tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelSupply {
    /// Those of the table, and others of the same families.
    Own,
    /// Those of all makers. None is in the table.
    Gateway,
    /// Whatever the user downloaded. The server decides how they are told to reason.
    Local,
}

/// The role of a colon in model ids of a provider, which otherwise separates a provider's name from a model id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColonRule {
    Never,
    /// Only after this prefix.
    After(&'static str),
    Anywhere,
}

impl Builtin {
    /// The models of the table, the default suggestion first.
    pub(crate) fn models(&self) -> impl Iterator<Item = &'static KnownModel> + use<> {
        models_of(self.name)
    }

    /// The model with this id, or with this id less a version date such as `-20251001`.
    pub(crate) fn model(&self, id: &str) -> Option<&'static KnownModel> {
        let with = |id: &str| self.models().find(|model| model.id == id);
        with(id).or_else(|| with(undated(id)?))
    }

    /// The facts of the table about a model, or else of its family.
    pub(crate) fn facts(&self, id: &str) -> ModelFacts {
        let of_family = match self.models {
            ModelSupply::Own => family_facts(Some(self.name), id),
            ModelSupply::Gateway => family_facts(None, id),
            ModelSupply::Local => ModelFacts::default(),
        };
        let known = self.model(id).map(KnownModel::facts);
        known.unwrap_or_default().or(of_family)
    }

    pub(crate) fn host(&self) -> Option<&'static str> {
        let (_, rest) = self.base_url.split_once("://")?;
        rest.split(['/', ':']).next()
    }
}

/// Returns whether an id is another one with a version date, such as `-20251001`.
pub fn is_version_of(dated: &str, id: &str) -> bool {
    undated(dated) == Some(id)
}

/// The id without a date suffix: Anthropic writes `-20251001`, OpenAI `-2024-08-06`.
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
