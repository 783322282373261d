use std::fmt;

use scorel_engine::foreign_json;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::listed_model::ListedModel;

/// Models of one page, and of all pages.
pub(super) const MAX_MODELS: usize = 5_000;

/// One page of a list.
#[derive(Debug, Default)]
pub(super) struct ModelPage {
    pub(super) models: Vec<ListedModel>,
    /// The cursor of the next page; `None` on the last.
    pub(super) next: Option<String>,
}

/// A page as it is sent. Each entry is parsed when it is looked at: a tree of all of them would take
/// many times as much memory as their text.
#[derive(Deserialize)]
struct SentPage<'a> {
    #[serde(borrow, default)]
    data: Option<SentEntries<'a>>,
    #[serde(borrow, default)]
    models: Option<SentEntries<'a>>,
    #[serde(default)]
    has_more: Option<bool>,
    #[serde(default)]
    last_id: Option<String>,
    #[serde(default, rename = "nextPageToken")]
    next_page_token: Option<String>,
}

/// The first [`MAX_MODELS`] entries.
struct SentEntries<'a>(Vec<&'a RawValue>);

impl ModelPage {
    /// The list is the document itself, or its `data` or `models`. `None` if there is none.
    pub(super) fn parse(text: &[u8], read: fn(&Value) -> Option<ListedModel>) -> Option<Self> {
        let is_list = text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        let (entries, next) = if is_list {
            (serde_json::from_slice(text).ok()?, None)
        } else {
            let page: SentPage<'_> = serde_json::from_slice(text).ok()?;
            let last = page.last_id.filter(|_| page.has_more == Some(true));
            let token = page.next_page_token.filter(|token| !token.is_empty());
            (page.data.or(page.models)?, last.or(token))
        };
        let SentEntries(entries) = entries;
        let entries = entries.into_iter();
        let models = entries.filter_map(|entry| read(&foreign_json(entry.get().as_bytes()).ok()?));
        Some(Self {
            models: models.collect(),
            next,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SentEntries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EntriesVisitor).map(Self)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of models")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while entries.len() < MAX_MODELS
            && let Some(entry) = list.next_element()?
        {
            entries.push(entry);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(entries)
    }
}
