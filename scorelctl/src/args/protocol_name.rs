use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

pub(crate) const THINKING_LEVELS: [&str; 8] = [
    "default", "none", "minimal", "low", "medium", "high", "xhigh", "max",
];

pub(crate) const WORKSPACES: [&str; 2] = ["shared", "worktree"];

/// Parses a value by its name in the protocol. The names are in the help, completed, and suggested for a
/// typo.
pub(crate) fn protocol_name<T>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| named(&name))
}

fn named<T: DeserializeOwned>(name: &str) -> Result<T, Error> {
    let name: StrDeserializer<'_, Error> = name.into_deserializer();
    T::deserialize(name)
}

#[cfg(test)]
mod tests {
    use scorel_proto::{AgentWorkspace, ThinkingLevel};

    use super::*;

    #[test]
    fn the_protocol_knows_all_names() {
        for name in THINKING_LEVELS {
            named::<ThinkingLevel>(name).expect(name);
        }
        for name in WORKSPACES {
            named::<AgentWorkspace>(name).expect(name);
        }
        let unknown = named::<ThinkingLevel>("much")
            .expect_err("no level")
            .to_string();
        let listed = |name: &&str| unknown.contains(&format!("`{name}`"));
        let known = unknown.matches('`').count() / 2 - 1;
        assert_eq!(
            (known, THINKING_LEVELS.iter().all(listed)),
            (8, true),
            "{unknown}"
        );
    }
}
