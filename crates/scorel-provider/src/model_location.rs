use reqwest::Url;

use crate::builtin::{
    Builtin, KnownModel, builtin_providers, dialect_of_host, family_facts, find_builtin,
    find_builtin_at,
};
use crate::model_id::check_model_id;
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, ModelFacts, ModelSource, Retirement, Secret, SetupError};

/// Below this Jaro-Winkler similarity a name is not suggested as the one that was meant.
const SIMILAR: f64 = 0.8;

/// The longest base URL, in bytes. A request with a much longer address fails before it is sent.
const MAX_BASE_URL: usize = 8 << 10;

/// Where a configured model is and which dialect its host speaks.
pub(crate) struct ModelLocation<'a> {
    /// The name to show.
    pub(crate) provider: &'a str,
    pub(crate) base_url: Url,
    /// The built-in provider whose models are there.
    pub(crate) builtin: Option<&'static Builtin>,
    pub(crate) wire: WireDialect,
    /// The variables that carry the key; empty if none is needed.
    required_key: &'static [&'static str],
}

impl<'a> ModelLocation<'a> {
    pub(crate) fn of(config: &'a ModelConfig) -> Result<Self, SetupError> {
        check_model_id(&config.id)?;
        match &config.source {
            ModelSource::Builtin { provider, base_url } => {
                Self::of_builtin(provider, base_url.as_deref())
            }
            ModelSource::Custom {
                provider,
                api,
                base_url,
            } => Self::of_custom(provider, api, base_url, config.dialect.as_deref()),
        }
    }

    fn of_builtin(provider: &'a str, base_url: Option<&str>) -> Result<Self, SetupError> {
        let builtin = require_builtin(provider)?;
        Ok(Self {
            provider,
            base_url: parse_base_url(base_url.unwrap_or(builtin.base_url))?,
            builtin: Some(builtin),
            wire: builtin.wire,
            required_key: builtin.key_variables,
        })
    }

    fn of_custom(
        provider: &'a str,
        api: &str,
        base_url: &str,
        dialect: Option<&str>,
    ) -> Result<Self, SetupError> {
        let compatible = compatible(api)?;
        let base_url = parse_base_url(base_url)?;
        let host = base_url.host_str().unwrap_or_default();
        let named = dialect.map(require_builtin).transpose()?;
        let builtin = named.or_else(|| find_builtin_at(host));
        Ok(Self {
            provider,
            wire: custom_wire(builtin, host, compatible),
            base_url,
            builtin,
            // A custom endpoint may accept calls without a key; it will say so if not.
            required_key: &[],
        })
    }

    /// # Errors
    /// The provider needs a key, and there is none.
    pub(crate) fn check_key(&self, key: Option<&Secret>) -> Result<(), SetupError> {
        if key.is_some() || self.required_key.is_empty() {
            return Ok(());
        }
        Err(SetupError::MissingKey {
            provider: self.provider.to_owned(),
            variables: self.required_key,
        })
    }

    /// The row of the table.
    pub(crate) fn model(&self, id: &str) -> Option<&'static KnownModel> {
        self.builtin?.model(id)
    }

    pub(crate) fn retirement(&self, id: &str) -> Option<Retirement> {
        self.model(id)?.retires.clone()
    }

    /// The facts of the table and of the model's family. Behind an unknown endpoint there may be the models of
    /// every maker.
    pub(crate) fn facts(&self, id: &str) -> ModelFacts {
        match self.builtin {
            Some(builtin) => builtin.facts(id),
            None => family_facts(None, id),
        }
    }
}

/// The dialect of a custom endpoint. The first known one that is of the configured wire wins: the
/// built-in provider's, that of the provider's host, that of the endpoint's host.
fn custom_wire(builtin: Option<&Builtin>, host: &str, compatible: WireDialect) -> WireDialect {
    let by_provider = builtin.map(|builtin| builtin.wire);
    let hosts = [builtin.and_then(Builtin::host), Some(host)];
    let by_host = hosts.into_iter().flatten().filter_map(dialect_of_host);
    let mut known = by_provider.into_iter().chain(by_host);
    known
        .find(|wire| wire.api() == compatible.api())
        .unwrap_or_else(|| compatible.at_host(hosts.into_iter().flatten().next()))
}

fn require_builtin(name: &str) -> Result<&'static Builtin, SetupError> {
    find_builtin(name).ok_or_else(|| unknown_provider(name, &[]))
}

/// `custom` are the names of the user's own providers.
pub(crate) fn unknown_provider(name: &str, custom: &[&str]) -> SetupError {
    let known = builtin_providers();
    let similarity = |other: &&str| strsim::jaro_winkler(name, other);
    let closest = known
        .iter()
        .chain(custom)
        .copied()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
        .filter(|closest| similarity(closest) > SIMILAR)
        .map(str::to_owned);
    SetupError::UnknownProvider {
        name: name.to_owned(),
        suggestion: closest,
        known,
        custom: custom.iter().map(ToString::to_string).collect(),
    }
}

fn compatible(api: &str) -> Result<WireDialect, SetupError> {
    let wires = WireDialect::COMPATIBLE.into_iter();
    let mut named = wires.clone().filter(|wire| wire.api() == api);
    named.next().ok_or_else(|| SetupError::UnknownApi {
        api: api.to_owned(),
        known: wires.map(WireDialect::api).collect(),
    })
}

pub(crate) fn parse_base_url(text: &str) -> Result<Url, SetupError> {
    let invalid = |reason: &str| SetupError::InvalidBaseUrl {
        reason: reason.to_owned(),
    };
    if text.len() > MAX_BASE_URL {
        return Err(invalid("it is longer than 8 KiB"));
    }
    let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("it must begin with http:// or https://"));
    }
    if url.host_str().is_none() {
        return Err(invalid("it has no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("it must not contain credentials"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BASE_URL, ModelLocation, parse_base_url};
    use crate::ModelConfig;
    use crate::openai_responses::{OpenAiResponses, ResponsesDialect};
    use crate::wire::Wire;
    use crate::wire_dialect::WireDialect;

    #[test]
    fn a_base_url_that_no_request_can_have_is_refused() {
        let url = |length: usize| format!("{:/<length$}", "https://lab.example/v1");
        assert!(parse_base_url(&url(MAX_BASE_URL)).is_ok());
        let error = parse_base_url(&url(MAX_BASE_URL + 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid base URL: it is longer than 8 KiB"
        );
    }

    #[test]
    fn a_custom_entry_gets_the_responses_dialect_of_its_host() {
        for (base, dialect) in [
            ("https://api.openai.com/v1", ResponsesDialect::OPENAI),
            ("http://127.0.0.1:1234/v1", ResponsesDialect::COMPATIBLE),
        ] {
            let config = ModelConfig::custom("mine", OpenAiResponses::API, base, "gpt-5");
            match ModelLocation::of(&config).unwrap().wire {
                WireDialect::OpenAiResponses(found) => assert_eq!(found, dialect),
                other => panic!("{other:?}"),
            }
        }
    }
}
