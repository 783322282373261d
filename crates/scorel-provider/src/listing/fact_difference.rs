use crate::{ModelFacts, Price, ThinkingLevels};
use scorel_proto::ThinkingLevel;

/// A fact that the table and the endpoint's list state differently. The values are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactDifference {
    /// The property's name in the protocol.
    pub property: &'static str,
    pub table: String,
    pub listed: String,
}

impl FactDifference {
    /// The facts that both state, and differently.
    pub(super) fn between(table: &ModelFacts, listed: &ModelFacts) -> Vec<Self> {
        let pairs = stated(table).into_iter().zip(stated(listed));
        pairs
            .filter_map(|((property, table), (_, listed))| {
                let (table, listed) = (table?, listed?);
                (table != listed).then_some(Self {
                    property,
                    table,
                    listed,
                })
            })
            .collect()
    }
}

/// Each property with its value.
fn stated(facts: &ModelFacts) -> [(&'static str, Option<String>); 6] {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    [
        ("contextWindow", number(facts.context_window)),
        ("maxOutputTokens", number(facts.max_output_tokens)),
        ("reasoning", flag(facts.reasoning)),
        ("thinkingLevels", facts.levels.map(efforts)),
        ("images", flag(facts.images)),
        ("price", facts.price.map(price)),
    ]
}

/// Without the level that switches reasoning off, which lists do not name.
fn efforts(levels: ThinkingLevels) -> String {
    levels.without(ThinkingLevel::None).names()
}

fn price(price: Price) -> String {
    let dollars = |amount| format!("${}", Price::to_dollars(amount));
    format!("{} / {}", dollars(price.input), dollars(price.output))
}

#[cfg(test)]
mod tests {
    use super::FactDifference;
    use crate::{ModelFacts, ThinkingLevels};
    use scorel_proto::ThinkingLevel::{High, Low, Max, None as Off};

    #[test]
    fn only_what_both_state_can_differ() {
        let table = ModelFacts {
            context_window: Some(200_000),
            max_output_tokens: Some(64_000),
            images: Some(true),
            levels: Some(ThinkingLevels::of(&[Off, Low, High])),
            ..ModelFacts::default()
        };
        let listed = ModelFacts {
            context_window: Some(200_000),
            max_output_tokens: Some(128_000),
            reasoning: Some(true),
            levels: Some(ThinkingLevels::of(&[Low, High])),
            ..ModelFacts::default()
        };
        let found = FactDifference::between(&table, &listed);
        let limit = FactDifference {
            property: "maxOutputTokens",
            table: "64000".to_owned(),
            listed: "128000".to_owned(),
        };
        assert_eq!(found, [limit]);
        let listed = ModelFacts {
            levels: Some(ThinkingLevels::of(&[Low, High, Max])),
            ..listed
        };
        let found = FactDifference::between(&table, &listed);
        assert_eq!(
            (found[1].property, found[1].listed.as_str()),
            ("thinkingLevels", "low, high, max")
        );
    }
}
