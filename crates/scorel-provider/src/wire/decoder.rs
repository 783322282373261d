use scorel_engine::ProviderError;
use scorel_proto::{StopReason, Usage};
use serde_json::Value;

use super::decoded_reply::DecodedReply;
use super::text::non_empty;

/// Reads the payloads of one streamed reply. Everything that does not depend on the API is done by
/// [`StreamedReply`](super::reply::StreamedReply), which owns the decoder.
pub(crate) trait WireDecoder: Default + Send + 'static {
    /// A field that every event of the API has. A payload without it that has a `message` or a
    /// `detail` is an error body: some hosts report errors with status 200 and no `error` object.
    const EVENT_FIELD: &'static str;

    /// True if `[DONE]` alone completes the reply.
    const DONE_COMPLETES: bool = false;

    /// True if a reply with a stop reason is complete whatever follows. If not, unparsable data after the stop
    /// reason is a failure.
    const STOP_IS_FINAL: bool = true;

    /// Records what a payload says about the reply as a whole. Called for every payload before it
    /// is checked for an error, since errors can carry the usage that is billed.
    fn observe(&mut self, payload: &Value, status: &mut ReplyStatus);

    /// Turns a payload into events. An error ends the reply.
    fn decode(
        &mut self,
        payload: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError>;

    /// Emits the remaining events and returns the metadata to store with the message.
    fn finish(&mut self, reported: StopReason, out: &mut DecodedReply) -> Option<Value>;

    /// Adjusts an error that the provider reported inside the stream.
    fn refine(&self, _status: &ReplyStatus, error: ProviderError) -> ProviderError {
        error
    }
}

/// The state of a reply as a whole while it streams.
#[derive(Debug, Default)]
pub(crate) struct ReplyStatus {
    /// The model that replies, as the provider names it; gateways may pick another than asked for.
    pub(super) model: Option<String>,
    /// The last usage reported; providers repeat it cumulatively.
    pub(crate) usage: Option<Usage>,
    /// The amount that the provider says it charges, in millionths of a US dollar.
    pub(super) charged: Option<u64>,
    /// Set once the provider has said why it stopped. From then on the reply is complete, whatever
    /// happens to the connection.
    pub(crate) stop: Option<StopReason>,
    /// The model streamed a refusal, which chat completions and the Responses API report as a
    /// normal stop.
    pub(crate) refused: bool,
    /// The provider has said that nothing follows.
    pub(crate) done: bool,
}

impl ReplyStatus {
    /// Takes the model's name from the first event that has one.
    pub(crate) fn name_model(&mut self, name: &Value) {
        if self.model.is_none() {
            self.model = non_empty(name).map(str::to_owned);
        }
    }
}
