//! Asks an endpoint which models it serves.
//!
//! In: a [`ModelConfig`] whose model id may be empty. Out: the endpoint's models, completed with the
//! facts of the built-in table. Each API has its own path, paging and fields: see [`ListingApi`].

mod anthropic;
mod fact_difference;
mod google;
mod listed_model;
mod listing_api;
mod model_page;
mod number;
mod openai;

pub use fact_difference::FactDifference;
pub use listed_model::{ListError, ListedModel};

use std::collections::HashSet;
use std::time::Duration;

use reqwest::header::HeaderMap;
use scorel_engine::{ErrorCategory, ProviderError};
use tokio::time::timeout;

use crate::http::provider_error;
use crate::model_id::check_model_id;
use crate::model_location::ModelLocation;
use crate::wire::ConfiguredHeaders;
use crate::{Connector, ModelConfig, Secret, SetupError};
use listing_api::ListingApi;
use model_page::MAX_MODELS;

/// The time limit for all pages together: a user is waiting for the list.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// The most of a page that is read, in bytes.
const PAGE_LIMIT: usize = 8 << 20;
const MAX_PAGES: usize = 20;
/// The longest display name, in bytes. Models with longer ones are left out.
const MAX_NAME: usize = 256;

fn listing_api(api: &str) -> ListingApi {
    match api {
        "anthropic-messages" => anthropic::LISTING,
        "google-generative-ai" => google::LISTING,
        _ => openai::LISTING,
    }
}

impl Connector {
    /// Lists the models of a configured endpoint, those of the built-in table first. The model id
    /// of the configuration may be empty.
    ///
    /// # Errors
    /// The configuration is unusable, or the endpoint does not return a list within 15 s.
    pub async fn list_models(
        &self,
        config: &ModelConfig,
        key: Option<Secret>,
    ) -> Result<Vec<ListedModel>, ListError> {
        let key = key.filter(|key| !key.is_empty());
        let location = ModelLocation::of(config)?;
        location.check_key(key.as_ref())?;
        let listing = listing_api(location.wire.api());
        let headers = ConfiguredHeaders::new(config)?
            .complete(listing.headers(), listing.key_header, key.as_ref())
            .map_err(|message| provider_error(ErrorCategory::Auth, false, message))?;
        let pages = self.pages(listing, &location, headers, key.as_ref());
        let mut models = timeout(LIST_TIMEOUT, pages).await.map_err(|_| {
            let message = format!("{} did not list its models in time", location.provider);
            provider_error(ErrorCategory::Timeout, true, message)
        })??;
        complete(&mut models, &location);
        Ok(models)
    }

    async fn pages(
        &self,
        listing: ListingApi,
        location: &ModelLocation<'_>,
        headers: HeaderMap,
        key: Option<&Secret>,
    ) -> Result<Vec<ListedModel>, ProviderError> {
        let mut models = Vec::new();
        let mut seen = HashSet::new();
        let mut next: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let url = listing.url(location.base_url.clone(), next.as_deref());
            let text = self.http.get(url, headers.clone(), key, PAGE_LIMIT).await?;
            let page = listing.page(&text).ok_or_else(|| {
                let message = format!("{} did not return a list of models", location.provider);
                provider_error(ErrorCategory::ServerError, false, message)
            })?;
            let new = page.models.into_iter().filter(is_usable);
            models.extend(new.filter(|model| seen.insert(model.id.clone())));
            // A repeated cursor would loop.
            if page.next.is_none() || page.next == next || models.len() >= MAX_MODELS {
                break;
            }
            next = page.next;
        }
        models.truncate(MAX_MODELS);
        Ok(models)
    }
}

fn is_usable(model: &ListedModel) -> bool {
    let name = model.name.as_deref().unwrap_or_default();
    name.len() <= MAX_NAME && check_model_id(&model.id).is_ok()
}

impl ModelConfig {
    /// A list that the endpoint gave earlier, completed as [`Connector::list_models`] does.
    ///
    /// # Errors
    /// The configuration is unusable.
    pub fn complete(&self, mut models: Vec<ListedModel>) -> Result<Vec<ListedModel>, SetupError> {
        complete(&mut models, &ModelLocation::of(self)?);
        Ok(models)
    }
}

/// Adds what the table says. Known models come first, in the order of the table, then the others by id.
fn complete(models: &mut [ListedModel], location: &ModelLocation<'_>) {
    for model in models.iter_mut() {
        model.complete(location.model(&model.id), location.facts(&model.id));
    }
    let rank = |id: &str| location.builtin?.models().position(|model| model.id == id);
    models.sort_by_cached_key(|model| {
        let rank = rank(&model.id).unwrap_or(usize::MAX);
        (rank, model.id.clone())
    });
}

#[cfg(test)]
mod tests;
