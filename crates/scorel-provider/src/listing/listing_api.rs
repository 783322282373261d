use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::listed_model::ListedModel;
use super::model_page::ModelPage;
use crate::wire::{has_version, with_path};

/// The form in which an API lists its models.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListingApi {
    /// The version segment to add where the base URL has none.
    pub(super) version: Option<&'static str>,
    pub(super) key_header: Option<&'static str>,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) query: &'static [(&'static str, &'static str)],
    /// The query parameter that takes the cursor of the next page.
    pub(super) cursor: Option<&'static str>,
    /// The model of an entry; `None` if it is not a chat model.
    pub(super) read: fn(&Value) -> Option<ListedModel>,
}

impl ListingApi {
    pub(super) fn url(self, base: Url, next: Option<&str>) -> Url {
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

    pub(super) fn page(self, text: &[u8]) -> Option<ModelPage> {
        let page = ModelPage::parse(text, self.read)?;
        Some(ModelPage {
            next: page.next.filter(|_| self.cursor.is_some()),
            ..page
        })
    }

    pub(super) fn headers(self) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        self.headers.iter().map(header).collect()
    }
}
