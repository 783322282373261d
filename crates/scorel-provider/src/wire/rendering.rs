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
    rendered: RenderedMessages<W>,
    body: Bytes,
    /// The length of the part that no further message changes.
    settled: usize,
}

/// The messages that a body has.
#[derive(Debug)]
struct RenderedMessages<W: Wire> {
    rules: RenderingRules<W::Dialect>,
    /// The length of the body up to the conversation.
    head: usize,
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
    let (mut rendered, mut body) = resume::<W>(slot.take(), endpoint, request);
    for message in request.messages.iter().skip(rendered.messages.len()) {
        for message in rendered.pairs.next(message) {
            rendered.history.add(endpoint, &message, &mut body);
        }
    }
    rendered.messages.catch_up(&request.messages);
    let settled = body.len();
    rendered.history.finish(endpoint, &mut body);
    body.end_list();
    W::tail(endpoint, request, &rendered.history, &mut body);
    let body = body.into_bytes();
    slot.keep(KeptBody {
        rendered,
        body: body.clone(),
        settled,
    });
    body
}

/// Extends the kept body, or starts a new one.
fn resume<W: Wire>(
    kept: Option<KeptBody<W>>,
    endpoint: &ModelEndpoint<W::Dialect>,
    request: &ModelRequest,
) -> (RenderedMessages<W>, JsonBody) {
    let rules = RenderingRules {
        origin: endpoint.origin(),
        dialect: endpoint.dialect,
        images: endpoint.images,
    };
    let mut head = JsonBody::default();
    W::head(endpoint, request, &mut head);
    let continued = kept.filter(|KeptBody { rendered, body, .. }| {
        rendered.rules == rules
            && body[..rendered.head] == *head.as_bytes()
            && request.messages.continues(&rendered.messages)
    });
    if let Some(kept) = continued {
        return (
            kept.rendered,
            JsonBody::beginning_of(kept.body, kept.settled),
        );
    }
    let rendered = RenderedMessages {
        rules,
        head: head.len(),
        history: W::History::default(),
        pairs: CallPairs::default(),
        messages: Context::default(),
    };
    head.reserve(request.messages.iter().map(size_hint).sum());
    (rendered, head)
}

fn size_hint(message: &Message) -> usize {
    let text = |block: &Block| match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => text.len(),
        _ => SYNTAX,
    };
    SYNTAX + message.content().iter().map(text).sum::<usize>()
}

#[cfg(test)]
mod tests;
