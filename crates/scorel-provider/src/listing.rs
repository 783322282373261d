//! Asking an endpoint which models it has.

mod anthropic;
mod google;
mod number;
mod openai;

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use scorel_runtime::{ErrorCategory, ProviderError};
use serde_json::Value;
use tokio::time::timeout;

use crate::place::Place;
use crate::wire::{ConfiguredHeaders, has_version, with_path};
use crate::{Connector, ModelConfig, ModelFacts, Secret, SetupError};

/// How long all pages of a list may take together.
const PATIENCE: Duration = Duration::from_secs(15);
/// How many bytes a page may have.
const PAGE_LIMIT: usize = 8 << 20;
/// How many pages are read, and how many models are taken.
const MAX_PAGES: usize = 20;
const MAX_MODELS: usize = 5_000;
/// How long an id or a name may be, in bytes.
const MAX_NAME: usize = 256;

/// A model that an endpoint has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// Its id.
    pub id: String,
    /// Its name for people, where the endpoint has one.
    pub name: Option<String>,
    /// What the endpoint and the built-in table know about it.
    pub facts: ModelFacts,
}

/// Why an endpoint's models are not known.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ListError {
    /// The endpoint was not asked.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The endpoint did not answer well.
    #[error(transparent)]
    Call(#[from] ProviderError),
}

/// One page of a list.
#[derive(Debug, Default)]
struct Page {
    models: Vec<ListedModel>,
    /// What to ask for the next page with; `None` at the end.
    next: Option<String>,
}

/// How the endpoints of a wire list their models.
#[derive(Debug, Clone, Copy)]
struct Listing {
    /// What stands before `models` in the path where the base URL has no version.
    version: Option<&'static str>,
    key_header: Option<&'static str>,
    headers: &'static [(&'static str, &'static str)],
    /// What every page is asked for with.
    query: &'static [(&'static str, &'static str)],
    /// The parameter that names the next page.
    cursor: Option<&'static str>,
    read: fn(&Value) -> Option<Page>,
}

impl Listing {
    fn of(api: &str) -> Self {
        match api {
            "anthropic-messages" => anthropic::LISTING,
            "google-generative-ai" => google::LISTING,
            _ => openai::LISTING,
        }
    }

    fn url(self, base: Url, next: Option<&str>) -> Url {
        let mut url = match self.version.filter(|_| !has_version(&base)) {
            Some(version) => with_path(base, &format!("{version}/models")),
            None => with_path(base, "models"),
        };
        let cursor = self.cursor.zip(next);
        for (name, value) in self.query.iter().copied().chain(cursor) {
            url.query_pairs_mut().append_pair(name, value);
        }
        url
    }

    fn headers(self) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        self.headers.iter().map(header).collect()
    }
}

impl Connector {
    /// Asks the endpoint of a configured model which models it has, those of the built-in table
    /// first. The model itself need not be named.
    ///
    /// # Errors
    /// [`ListError`] when the configuration cannot work, or the endpoint does not answer within a
    /// quarter of a minute, or with something else than a list.
    pub async fn list_models(
        &self,
        config: &ModelConfig,
        key: Option<Secret>,
    ) -> Result<Vec<ListedModel>, ListError> {
        let key = key.filter(|key| !key.is_empty());
        let place = Place::of(config)?;
        place.check_key(key.as_ref())?;
        let listing = Listing::of(place.wire.api());
        let key_header = listing.key_header.map(HeaderName::from_static);
        let headers = ConfiguredHeaders::new(config)?
            .complete(listing.headers(), key_header, key.as_ref())
            .map_err(|message| failure(ErrorCategory::Auth, message.to_owned()))?;
        let pages = self.pages(listing, &place, headers, key.as_ref());
        let mut models = timeout(PATIENCE, pages).await.map_err(|_| {
            let message = format!("{} did not list its models in time", place.provider);
            failure(ErrorCategory::Timeout, message)
        })??;
        for model in &mut models {
            model.facts = model.facts.or(ModelFacts::known(place.model(&model.id)));
        }
        sort(&mut models, &place);
        Ok(models)
    }

    async fn pages(
        &self,
        listing: Listing,
        place: &Place<'_>,
        headers: HeaderMap,
        key: Option<&Secret>,
    ) -> Result<Vec<ListedModel>, ProviderError> {
        let mut models = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let url = listing.url(place.base_url.clone(), next.as_deref());
            let text = self.http.get(url, headers.clone(), key, PAGE_LIMIT).await?;
            let value: Option<Value> = serde_json::from_slice(&text).ok();
            let page = value.as_ref().and_then(|value| (listing.read)(value));
            let page = page.ok_or_else(|| {
                let message = format!("{} answered with no list of models", place.provider);
                failure(ErrorCategory::ServerError, message)
            })?;
            let usable = |model: &ListedModel| {
                let name = model.name.as_deref().unwrap_or_default();
                model.id.len() <= MAX_NAME && name.len() <= MAX_NAME
            };
            models.extend(page.models.into_iter().filter(usable));
            // An endpoint that names the same page again would never end.
            if page.next.is_none() || page.next == next || models.len() >= MAX_MODELS {
                break;
            }
            next = page.next;
        }
        models.truncate(MAX_MODELS);
        Ok(models)
    }
}

/// Those that the table names first, in its order, then the others by their id.
fn sort(models: &mut [ListedModel], place: &Place<'_>) {
    let known = place.builtin.map_or(&[][..], |builtin| builtin.models);
    let rank = |id: &str| known.iter().position(|model| model.id == id);
    models.sort_by_cached_key(|model| {
        let rank = rank(&model.id).unwrap_or(usize::MAX);
        (rank, model.id.clone())
    });
}

fn failure(category: ErrorCategory, message: String) -> ProviderError {
    ProviderError {
        category,
        retryable: category == ErrorCategory::Timeout,
        retry_after: None,
        status: None,
        message,
        usage: None,
    }
}

#[cfg(test)]
mod tests;
