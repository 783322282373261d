use scorel_engine::ProviderError;

use super::fact_difference::FactDifference;
use crate::builtin::KnownModel;
use crate::{ModelFacts, Retirement, SetupError};

/// A model that an endpoint serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The id to use in requests.
    pub id: String,
    /// The display name, if the endpoint has one.
    pub name: Option<String>,
    /// The endpoint's facts about the model.
    pub listed: ModelFacts,
    /// The same, completed by the built-in table.
    pub facts: ModelFacts,
    /// When the endpoint says that it switches the model off.
    pub listed_retirement: Option<Retirement>,
    /// The same, completed by the built-in table.
    pub retires: Option<Retirement>,
    /// Where the endpoint and the table disagree.
    pub differences: Vec<FactDifference>,
}

impl ListedModel {
    /// A model as its endpoint describes it.
    pub fn new(id: impl Into<String>, name: Option<String>, listed: ModelFacts) -> Self {
        Self {
            id: id.into(),
            name,
            listed,
            facts: listed,
            listed_retirement: None,
            retires: None,
            differences: Vec::new(),
        }
    }

    /// Adds what the table says of the model, and of its family.
    pub(super) fn complete(&mut self, row: Option<&KnownModel>, table: ModelFacts) {
        self.facts = ModelFacts::listed_over(self.listed, table);
        let of_table = row.and_then(|row| row.retires.clone());
        self.retires = match self.listed_retirement.clone() {
            Some(listed) => Some(Retirement {
                successor: listed
                    .successor
                    .or(of_table.and_then(|table| table.successor)),
                on: listed.on,
            }),
            None => of_table,
        };
        if row.is_some() {
            self.differences = FactDifference::between(&table, &self.listed);
        }
    }
}

/// The reason why the models of an endpoint could not be listed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ListError {
    /// The configuration is unusable; nothing was sent.
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Call(#[from] ProviderError),
}
