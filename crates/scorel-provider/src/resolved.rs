//! The facts of a configured model: from the user, the endpoint's list, the table, its family.

use std::fmt;

use jiff::civil::Date;
use scorel_proto::ThinkingLevel;

use crate::model_location::ModelLocation;
use crate::wire::digest;
use crate::{ModelConfig, ModelFacts, ModelSource, SetupError, ThinkingLevels};

/// Names an endpoint whose list of models was read: its API, its host, and a digest of its address,
/// which can hold a token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(String);

impl EndpointId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ModelConfig {
    /// The endpoint; `None` for the demo, which has none.
    ///
    /// # Errors
    /// The configuration is unusable.
    pub fn endpoint(&self) -> Result<Option<EndpointId>, SetupError> {
        let Some(location) = self.location()? else {
            return Ok(None);
        };
        let api = location.wire.api();
        let host = location.base_url.host_str().unwrap_or_default();
        let address = digest(location.base_url.as_str(), 16);
        Ok(Some(EndpointId(format!("{api} {host} {address}"))))
    }

    /// All that is known of the model.
    ///
    /// # Errors
    /// The configuration is unusable.
    pub fn facts(&self) -> Result<ModelFacts, SetupError> {
        let location = self.location()?;
        Ok(location.map_or_else(ModelFacts::default, |location| self.facts_at(&location)))
    }

    /// `None` for the demo, which has no endpoint.
    pub(crate) fn location(&self) -> Result<Option<ModelLocation<'_>>, SetupError> {
        let is_remote = !self.source.is_demo();
        is_remote.then(|| ModelLocation::of(self)).transpose()
    }

    pub(crate) fn facts_at(&self, location: &ModelLocation<'_>) -> ModelFacts {
        let table = location.facts(&self.id);
        let listed = ModelFacts::listed_over(self.listed.unwrap_or_default(), table);
        self.stated.or(listed)
    }

    /// Returns whether requests must state an output limit of which nothing is known, so that a low one is
    /// assumed.
    pub fn assumes_output_limit(&self) -> bool {
        let location = self.location().ok().flatten();
        location.is_some_and(|location| {
            location.wire.requires_output_limit()
                && self.facts_at(&location).max_output_tokens.is_none()
        })
    }

    /// Checks a thinking level that not every model has. Lower ones are rounded to what the model has.
    ///
    /// # Errors
    /// The model does not have it, or the configuration is unusable.
    pub fn check_level(&self, level: ThinkingLevel) -> Result<(), SetupError> {
        let rare = matches!(level, ThinkingLevel::Xhigh | ThinkingLevel::Max);
        if !rare || self.source.is_demo() {
            return Ok(());
        }
        let location = ModelLocation::of(self)?;
        let facts = self.facts_at(&location);
        let levels = match facts.reasoning {
            Some(false) => ThinkingLevels::default(),
            _ => facts
                .levels
                .unwrap_or_else(|| location.wire.levels(&self.id)),
        };
        if levels.contains(level) {
            return Ok(());
        }
        Err(SetupError::NoThinkingLevel {
            model: self.id.clone(),
            level,
            levels,
        })
    }

    /// Checks that the provider has not switched the model off. The endpoint's list knows better than
    /// the table, and endpoints at other addresses decide for themselves.
    ///
    /// # Errors
    /// The model is retired, or the configuration is unusable.
    pub fn check_offered(&self, today: Date) -> Result<(), SetupError> {
        let ModelSource::Builtin { base_url: None, .. } = &self.source else {
            return Ok(());
        };
        if self.source.is_demo() || self.listed.is_some() {
            return Ok(());
        }
        let location = ModelLocation::of(self)?;
        let retirement = location.retirement(&self.id);
        match retirement.filter(|retirement| retirement.on <= today) {
            Some(retirement) => Err(SetupError::Retired {
                provider: location.provider.to_owned(),
                model: self.id.clone(),
                on: retirement.on,
                successor: retirement.successor,
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
