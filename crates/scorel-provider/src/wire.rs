//! What all wires share: one call is rendered, posted, and its events are read.
//!
//! A wire says what is its own: where and with which headers it posts, how it renders a
//! conversation and how it reads an answer. [`HttpProvider`] does the rest.

mod answer;
mod call_ids;
mod configured_headers;
mod content;
mod digest;
mod endpoint;
mod failure;
mod origin;
mod provider;
mod reader;
mod thinking;

pub(crate) use answer::Answer;
pub(crate) use call_ids::CallIds;
pub(crate) use configured_headers::ConfiguredHeaders;
pub(crate) use content::{Content, said};
pub(crate) use digest::digest;
pub(crate) use endpoint::Endpoint;
pub(crate) use failure::{stream_failure, truncated};
pub(crate) use origin::ModelOrigin;
pub(crate) use provider::HttpProvider;
pub(crate) use thinking::nearest;

use std::fmt::Debug;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use scorel_runtime::ModelRequest;

/// A protocol that endpoints speak.
pub(crate) trait Wire: Debug + Sized + Send + Sync + 'static {
    /// The wire's name in configurations and in what is kept with messages.
    const API: &'static str;

    /// How the endpoints of the wire differ, as data.
    type Dialect: Debug + Copy + Send + Sync;

    /// An answer while it streams.
    type Answer: Answer;

    /// Where to post, given the configured base URL and the model's id.
    fn url(base: Url, model: &str) -> Url;

    /// The header that takes the key as it is; `None` for `Authorization: Bearer`.
    fn key_header(_dialect: Self::Dialect) -> Option<HeaderName> {
        None
    }

    /// What the wire wants in the header beside the key and the usual.
    fn headers(_endpoint: &Endpoint<Self>) -> HeaderMap {
        HeaderMap::new()
    }

    /// The body of a call. Equal requests give equal bytes, and what stays at the front of a
    /// conversation stays at the front of the body, so that the endpoint's cache holds.
    ///
    /// Reads pictures from files: not for a thread that must not block.
    fn render(endpoint: &Endpoint<Self>, request: &ModelRequest) -> Vec<u8>;

    /// An answer of which nothing came yet.
    fn answer(origin: ModelOrigin) -> Self::Answer;
}

/// Whether the path ends with a version such as `v1beta`.
pub(crate) fn has_version(base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    last.strip_prefix('v').is_some_and(|version| {
        version.starts_with(|first: char| first.is_ascii_digit())
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The URL with segments added to its path; its query, which some gateways need, stays.
pub(crate) fn with_path(mut url: Url, path: &str) -> Url {
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{path}"));
    url
}
