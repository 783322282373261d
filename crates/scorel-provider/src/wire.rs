//! The seam between the engine and the provider APIs.
//!
//! In: a [`ModelRequest`] of the engine and a [`ModelEndpoint`]. Out: a stream of `ProviderEvent`s that
//! ends with `Done` or with one `ProviderError`. A [`Wire`] holds only what is specific to its API: URL
//! and headers, how it renders a request (assembled by [`rendering`]), and, as its [`WireDecoder`], how
//! it reads the payloads of the response. [`HttpProvider`] posts the request, [`reader`] drives the
//! event stream, and [`reply`] holds the rules that all APIs share: when a reply starts, when it is
//! complete, which payloads are errors, which stop reason is reported.

mod advice;
mod call_ids;
mod call_pairs;
mod charged;
mod configured_headers;
mod decoded_reply;
mod decoder;
mod digest;
mod endpoint;
mod failure;
mod finish;
mod history;
mod host_table;
mod input_content;
mod json_body;
mod model_origin;
mod provider;
mod reader;
mod refusal;
mod rendering;
mod reply;
mod reply_tally;
mod surrogates;
mod text;
mod tool_names;
mod url;

pub(crate) use advice::{CallAdvice, ServedModels};
pub(crate) use call_ids::CallIds;
pub(crate) use configured_headers::ConfiguredHeaders;
pub(crate) use decoded_reply::DecodedReply;
pub(crate) use decoder::{ReplyStatus, WireDecoder};
pub(crate) use digest::digest;
pub(crate) use endpoint::ModelEndpoint;
pub(crate) use failure::stream_failure;
pub(crate) use finish::{FinishReason, unknown_finish};
pub(crate) use history::WireHistory;
pub(crate) use host_table::find_host;
pub(crate) use input_content::{InputContent, joined, sendable_text};
pub(crate) use json_body::JsonBody;
pub(crate) use model_origin::ModelOrigin;
pub(crate) use provider::HttpProvider;
pub(crate) use rendering::render;
pub(crate) use reply_tally::ReplyTally;
pub(crate) use text::{arguments_text, non_empty, text_of};
pub(crate) use tool_names::{sent_function_name, sent_tool_name};
pub(crate) use url::{has_version, with_path, with_segments};

use std::fmt::Debug;

use reqwest::Url;
use reqwest::header::HeaderMap;
use scorel_engine::ModelRequest;
pub(crate) trait Wire: Debug + Sized + Send + Sync + 'static {
    /// The name used in the configuration and in the metadata stored with messages.
    const API: &'static str;

    /// The header that carries the bare key; `None` for `Authorization: Bearer`.
    const KEY_HEADER: Option<&'static str> = None;

    /// The differences between hosts of this API, as data.
    type Dialect: Debug + Copy + PartialEq + Send + Sync + 'static;

    type History: WireHistory<Self::Dialect>;

    type Decoder: WireDecoder;

    /// The URL to post to. `base` is the configured base URL.
    fn url(base: Url, model: &str) -> Url;

    /// Headers besides the key and the content negotiation.
    fn headers(_endpoint: &ModelEndpoint<Self::Dialect>) -> HeaderMap {
        HeaderMap::new()
    }

    /// Writes the request body up to its conversation: the fields before it, and the beginning of the
    /// list that it is. [`Wire::History`] writes the conversation.
    ///
    /// Equal requests give equal bytes, and a longer conversation extends the bytes of a shorter
    /// one: providers cache prompts by prefix, and any difference before the end voids the cache.
    fn head(endpoint: &ModelEndpoint<Self::Dialect>, request: &ModelRequest, body: &mut JsonBody);

    /// Writes the fields after the conversation, which has ended.
    fn tail(
        endpoint: &ModelEndpoint<Self::Dialect>,
        request: &ModelRequest,
        history: &Self::History,
        body: &mut JsonBody,
    );
}
