use reqwest::Url;

use crate::builtin::{Builtin, Key, KnownModel, builtin_providers, dialect_of_host};
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, ModelSource, Secret, SetupError};

/// Where a model is, and what the table knows about the place.
pub(crate) struct Place<'a> {
    /// The name to show.
    pub(crate) provider: &'a str,
    pub(crate) base_url: Url,
    /// The provider of the table whose models are there.
    pub(crate) builtin: Option<&'static Builtin>,
    pub(crate) wire: WireDialect,
    /// The variables in which people keep the key that the place wants.
    required_key: Option<&'static [&'static str]>,
}

impl<'a> Place<'a> {
    /// Where the model of a configuration is.
    pub(crate) fn of(config: &'a ModelConfig) -> Result<Self, SetupError> {
        match &config.source {
            ModelSource::Builtin { provider, base_url } => {
                let builtin = find(provider)?;
                let base_url = base_url.as_deref().unwrap_or(builtin.base_url);
                Ok(Self {
                    provider,
                    base_url: parse_base_url(base_url)?,
                    builtin: Some(builtin),
                    wire: builtin.wire,
                    required_key: match builtin.key {
                        Key::Required(variables) => Some(variables),
                        Key::Optional => None,
                    },
                })
            }
            ModelSource::Custom {
                provider,
                api,
                base_url,
            } => {
                let compatible = compatible(api)?;
                let base_url = parse_base_url(base_url)?;
                let host = base_url.host_str().unwrap_or_default();
                let named = config.dialect.as_deref().map(find).transpose()?;
                let builtin = named.or_else(|| Builtin::with_host(host));
                Ok(Self {
                    provider,
                    wire: wire(builtin, host, compatible),
                    base_url,
                    builtin,
                    required_key: None,
                })
            }
        }
    }

    /// # Errors
    /// The provider does not answer without a key, and there is none.
    pub(crate) fn check_key(&self, key: Option<&Secret>) -> Result<(), SetupError> {
        match self.required_key {
            Some(variables) if key.is_none() => Err(SetupError::MissingKey {
                provider: self.provider.to_owned(),
                variables,
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn model(&self, id: &str) -> Option<&'static KnownModel> {
        self.builtin?.model(id)
    }
}

/// The ways of a custom endpoint: of the provider that it is like, or of its host; otherwise those
/// of `compatible`, whose wire it speaks.
fn wire(builtin: Option<&Builtin>, host: &str, compatible: WireDialect) -> WireDialect {
    let by_provider = builtin.map(|builtin| builtin.wire);
    let hosts = [builtin.and_then(Builtin::host), Some(host)];
    let by_host = hosts.into_iter().flatten().filter_map(dialect_of_host);
    let mut known = by_provider.into_iter().chain(by_host);
    known
        .find(|wire| wire.api() == compatible.api())
        .unwrap_or_else(|| compatible.at_host(hosts.into_iter().flatten().next()))
}

/// The built-in provider of that name.
fn find(name: &str) -> Result<&'static Builtin, SetupError> {
    Builtin::find(name).ok_or_else(|| unknown_provider(name))
}

pub(crate) fn unknown_provider(name: &str) -> SetupError {
    let known = builtin_providers();
    let likeness = |other: &&str| strsim::jaro_winkler(name, other);
    let closest = known
        .iter()
        .copied()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    SetupError::UnknownProvider {
        name: name.to_owned(),
        suggestion: closest.filter(|closest| likeness(closest) > 0.8),
        known,
    }
}

/// What is assumed of an endpoint of that wire.
fn compatible(api: &str) -> Result<WireDialect, SetupError> {
    let wires = WireDialect::COMPATIBLE.into_iter();
    let mut named = wires.clone().filter(|wire| wire.api() == api);
    named.next().ok_or_else(|| SetupError::UnknownApi {
        api: api.to_owned(),
        known: wires.map(WireDialect::api).collect(),
    })
}

fn parse_base_url(text: &str) -> Result<Url, SetupError> {
    let invalid = |reason: &str| SetupError::InvalidBaseUrl {
        reason: reason.to_owned(),
    };
    let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("it must begin with http:// or https://"));
    }
    if url.host_str().is_none() {
        return Err(invalid("it has no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("credentials do not belong into it"));
    }
    Ok(url)
}
