use jiff::civil::Date;
use scorel_proto::{Model, ModelDifference, ModelPrice};
use scorel_provider::{ListedModel, ModelFacts, Price, Retirement, TableEntry};

/// How the models of one provider are shown on one day.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelView<'a> {
    pub(super) provider: &'a str,
    pub(super) has_key: bool,
    pub(super) today: Date,
}

impl ModelView<'_> {
    /// A model of the endpoint's list.
    pub(super) fn listed(self, listed: &ListedModel, live: bool) -> Model {
        let differences = listed.differences.iter().map(|found| ModelDifference {
            property: found.property.to_owned(),
            table: found.table.clone(),
            listed: found.listed.clone(),
        });
        let mut model = self.model(&listed.id, listed.facts);
        model.name.clone_from(&listed.name);
        model.live = live;
        model.differences = differences.collect();
        retire(&mut model, listed.retires.as_ref());
        model
    }

    /// A row of the table; `None` if the model is not served any more.
    pub(super) fn tabled(self, entry: &TableEntry) -> Option<Model> {
        let retirement = entry.retires.as_ref();
        if retirement.is_some_and(|retirement| retirement.on <= self.today) {
            return None;
        }
        let mut model = self.model(&entry.id, entry.facts);
        model.source.clone_from(&entry.source);
        model.unverified = entry.unverified;
        retire(&mut model, retirement);
        Some(model)
    }

    pub(super) fn model(self, id: &str, facts: ModelFacts) -> Model {
        let mut model = Model {
            provider: self.provider.to_owned(),
            id: id.to_owned(),
            has_key: Some(self.has_key),
            ..Model::default()
        };
        self.set_facts(&mut model, facts);
        model
    }

    /// Overwrites the model's properties with the facts that are known.
    pub(super) fn set_facts(self, model: &mut Model, facts: ModelFacts) {
        model.context_window = facts.context_window.or(model.context_window);
        model.max_output_tokens = facts.max_output_tokens.or(model.max_output_tokens);
        model.reasoning = facts.reasoning.or(model.reasoning);
        model.images = facts.images.or(model.images);
        if let Some(price) = facts.price {
            model.price = Some(self.price(price));
        }
        if let Some(levels) = facts.levels {
            model.thinking_levels = levels.iter().collect();
        }
        if model.reasoning == Some(false) {
            model.thinking_levels.clear();
        }
    }

    fn price(self, price: Price) -> ModelPrice {
        ModelPrice {
            input: Price::to_dollars(price.input),
            output: Price::to_dollars(price.output),
            cache_read: price.cache_read.map(Price::to_dollars),
            cache_write: price.cache_write.map(Price::to_dollars),
            noted_on: price.noted_on.map(|day| day.to_string()),
            estimated: price.is_estimate(self.today),
        }
    }
}

fn retire(model: &mut Model, retirement: Option<&Retirement>) {
    if let Some(retirement) = retirement {
        model.retires_on = Some(retirement.on.to_string());
        model.successor.clone_from(&retirement.successor);
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};
    use scorel_provider::TableEntry;

    use super::ModelView;

    fn shown(provider: &str, id: &str, today: Date) -> Option<scorel_proto::Model> {
        let view = ModelView {
            provider,
            has_key: true,
            today,
        };
        let entries = TableEntry::of_builtin(provider);
        let entry = entries.iter().find(|entry| entry.id == id).unwrap();
        view.tabled(entry)
    }

    #[test]
    fn old_prices_are_estimates() {
        let price = |today| {
            shown("openai", "gpt-6.1-sol", today)
                .unwrap()
                .price
                .unwrap()
        };
        let noted = price(date(2026, 9, 29)).noted_on;
        assert_eq!(noted.as_deref(), Some("2026-09-29"));
        assert!(!price(date(2026, 11, 28)).estimated, "sixty days");
        assert!(price(date(2026, 11, 29)).estimated);
    }

    #[test]
    fn a_model_is_shown_until_it_is_retired() {
        let before = shown("anthropic", "claude-sonnet-4-5", date(2026, 11, 29)).unwrap();
        assert_eq!(before.retires_on.as_deref(), Some("2026-11-30"));
        assert_eq!(before.successor.as_deref(), Some("claude-sonnet-5-5"));
        let after = shown("anthropic", "claude-sonnet-4-5", date(2026, 11, 30));
        assert!(after.is_none());
    }

    #[test]
    fn what_no_page_of_the_provider_confirms_says_so() {
        let today = date(2026, 11, 22);
        assert!(shown("openai", "gpt-6.2-sol", today).unwrap().unverified);
        assert!(!shown("openai", "gpt-6.1-sol", today).unwrap().unverified);
    }
}
