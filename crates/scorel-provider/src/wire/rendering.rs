//! The body of a request, rendered by extending the body of the request before.
//!
//! In: a request, and the rendering that is kept with its messages. Out: the bytes to send. A
//! conversation grows at its end, so nearly all bytes are the same as before. The last body is kept
//! beside the messages, in their [`RenderedSlot`](scorel_proto::RenderedSlot); the next one cuts off its
//! end and appends. It is dropped with a session's window.

use bytes::Bytes;
use scorel_engine::ModelRequest;
use scorel_proto::{Block, Context, Message};

use super::call_pairs::CallPairs;
use super::{JsonBody, ModelEndpoint, ModelOrigin, Wire, WireHistory};

/// Beside the texts of a message.
const SYNTAX: usize = 64;

/// A rendered request, with the state that extends it.
#[derive(Debug)]
struct KeptBody<W: Wire> {
    rules: RenderingRules<W::Dialect>,
    body: Bytes,
    /// Its length up to the conversation.
    head: usize,
    /// The length of the part that no further message changes.
    settled: usize,
    history: W::History,
    pairs: CallPairs,
    messages: Context,
}

/// The parts of an endpoint that decide how a conversation is rendered, beside those in the head of the
/// body. The source of images is not among them: a conversation has one.
#[derive(Debug, PartialEq, Eq)]
struct RenderingRules<D> {
    origin: ModelOrigin,
    dialect: D,
    images: bool,
}

/// Renders a request.
///
/// Blocks: it reads images from files.
pub(crate) fn render<W: Wire>(
    endpoint: &ModelEndpoint<W::Dialect>,
    request: &ModelRequest,
) -> Bytes {
    let slot = request.messages.rendered();
    let kept = KeptBody::<W>::resume(slot.take(), endpoint, request);
    let (rendered, body) = kept.finish(endpoint, request);
    slot.keep(rendered);
    body
}

/// A body that is being written.
struct OpenBody<W: Wire> {
    rules: RenderingRules<W::Dialect>,
    body: JsonBody,
    head: usize,
    history: W::History,
    pairs: CallPairs,
    messages: Context,
}

impl<W: Wire> KeptBody<W> {
    /// Extends the kept body, or starts a new one.
    fn resume(
        kept: Option<Self>,
        endpoint: &ModelEndpoint<W::Dialect>,
        request: &ModelRequest,
    ) -> OpenBody<W> {
        let rules = RenderingRules {
            origin: endpoint.origin(),
            dialect: endpoint.dialect,
            images: endpoint.images,
        };
        let mut head = JsonBody::default();
        W::head(endpoint, request, &mut head);
        let continued = kept.filter(|kept| {
            kept.rules == rules
                && kept.body[..kept.head] == *head.as_bytes()
                && request.messages.continues(&kept.messages)
        });
        match continued {
            Some(kept) => OpenBody {
                rules,
                body: JsonBody::beginning_of(kept.body, kept.settled),
                head: kept.head,
                history: kept.history,
                pairs: kept.pairs,
                messages: kept.messages,
            },
            None => {
                let length = head.len();
                head.reserve(request.messages.iter().map(size_hint).sum());
                OpenBody {
                    rules,
                    body: head,
                    head: length,
                    history: W::History::default(),
                    pairs: CallPairs::default(),
                    messages: Context::default(),
                }
            }
        }
    }
}

impl<W: Wire> OpenBody<W> {
    fn finish(
        mut self,
        endpoint: &ModelEndpoint<W::Dialect>,
        request: &ModelRequest,
    ) -> (KeptBody<W>, Bytes) {
        for message in request.messages.iter().skip(self.messages.len()) {
            for message in self.pairs.next(message) {
                self.history.add(endpoint, &message, &mut self.body);
            }
        }
        self.messages.catch_up(&request.messages);
        let settled = self.body.len();
        self.history.finish(endpoint, &mut self.body);
        self.body.end_list();
        W::tail(endpoint, request, &self.history, &mut self.body);
        let body = self.body.into_bytes();
        let kept = KeptBody {
            rules: self.rules,
            body: body.clone(),
            head: self.head,
            settled,
            history: self.history,
            pairs: self.pairs,
            messages: self.messages,
        };
        (kept, body)
    }
}

/// About how many bytes a message has in a body. Blocks without text are small beside it, or rare.
fn size_hint(message: &Message) -> usize {
    let text = |block: &Block| match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => text.len(),
        _ => SYNTAX,
    };
    SYNTAX + message.content().iter().map(text).sum::<usize>()
}

#[cfg(test)]
mod tests;
