//! From the entries of a frame to replies in the outbox.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jsonrpsee::types::Id;
use jsonrpsee::{ConnectionId, Extensions, MethodCallback, MethodResponse};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;

use crate::call::Gates;
use crate::envelope::{Entry, Frame, Request, RequestId, invalid};
use crate::in_flight::{InFlight, Ticket};
use crate::outbox::Closed;
use crate::{Call, Connection, MethodKind, MethodTable, Text, reply};

/// Work that a frame asks for.
pub(crate) struct Work {
    /// Ends when the reply is in the outbox.
    pub(crate) run: BoxFuture<'static, ()>,
    /// How large the reply may become, in bytes, where that is much.
    pub(crate) reply: usize,
}

/// Room that is kept in a batch's reply for each entry that is still to be answered.
const ENTRY_RESERVE: usize = 2 * 1024;

/// Turns the frames of one connection into work.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    table: Arc<MethodTable>,
    connection: Connection,
    in_flight: InFlight,
}

/// A call that may be executed.
struct Prepared {
    id: RequestId,
    response: BoxFuture<'static, MethodResponse>,
    gates: Gates,
    method: Box<str>,
    reply: usize,
    _ticket: Option<Ticket>,
}

/// An answered call whose reply is not in the outbox yet.
struct Answer {
    text: Text,
    success: bool,
    gates: Gates,
    _ticket: Option<Ticket>,
}

/// What is known of an entry before it is executed.
enum Step {
    Execute(Box<Prepared>),
    Reply(Text),
}

impl Dispatcher {
    pub(crate) fn new(table: Arc<MethodTable>, connection: Connection) -> Self {
        Self {
            table,
            connection,
            in_flight: InFlight::default(),
        }
    }

    /// The work that a frame asks for, if any.
    pub(crate) fn work(&self, frame: Frame) -> Option<Work> {
        match frame {
            Frame::Single(Entry::Notification(request)) => self.notification(request),
            Frame::Single(entry) => self.step(entry, false).map(|step| self.single(step)),
            Frame::Batch(entries) => self.batch(entries),
            Frame::Refused(error) => Some(self.refusal(&error)),
            Frame::NotUtf8 => {
                let message = "not readable as JSON: not UTF-8";
                Some(self.refusal(&RpcError::new(ErrorCode::ParseError, message)))
            }
        }
    }

    /// An error without an id.
    pub(crate) fn refusal(&self, error: &RpcError) -> Work {
        self.single(Step::Reply(reply::error(&RequestId::null(), error)))
    }

    fn single(&self, step: Step) -> Work {
        let connection = self.connection.clone();
        let reply = step.reply();
        let run = Box::pin(async move {
            let outbox = connection.outbox();
            match step {
                Step::Execute(prepared) => {
                    let answer = prepared.answer(connection.limits().frame_out).await;
                    let sent = outbox.reply(answer.text).await.is_ok();
                    answer.gates.settle(answer.success && sent);
                }
                // A closed outbox means that the connection is ending.
                Step::Reply(text) => {
                    let _: Result<(), Closed> = outbox.reply(text).await;
                }
            }
        });
        Work { run, reply }
    }

    /// Runs the method without a reply; what cannot be run is ignored.
    fn notification(&self, request: Request) -> Option<Work> {
        let entry = Entry::Call(RequestId::null(), request);
        let Some(Step::Execute(prepared)) = self.step(entry, true) else {
            return None;
        };
        let limit = self.connection.limits().frame_out;
        let reply = prepared.reply;
        let run = Box::pin(async move { drop(prepared.answer(limit).await) });
        Some(Work { run, reply })
    }

    /// Runs the entries one after the other; a batch of nothing but notifications has no reply.
    fn batch(&self, entries: Vec<Entry>) -> Option<Work> {
        let steps: Vec<(Step, bool)> = entries
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Notification(request) => {
                    let step = self.step(Entry::Call(RequestId::null(), request), true)?;
                    matches!(step, Step::Execute(_)).then_some((step, false))
                }
                entry => Some((self.step(entry, true)?, true)),
            })
            .collect();
        let connection = self.connection.clone();
        let limit = connection.limits().frame_out;
        let reply = steps.iter().map(|(step, _)| step.reply()).sum::<usize>();
        (!steps.is_empty()).then(|| Work {
            reply: reply.min(limit),
            run: Box::pin(async move {
                let (replies, _tickets) = answers(steps, limit).await;
                if !replies.is_empty() {
                    // A closed outbox means that the connection is ending.
                    let _: Result<(), Closed> =
                        connection.outbox().reply(reply::batch(&replies)).await;
                }
            }),
        })
    }

    /// `None` for what is ignored.
    fn step(&self, entry: Entry, no_subscribe: bool) -> Option<Step> {
        match entry {
            Entry::Response => None,
            Entry::Invalid(id, error) => Some(Step::Reply(reply::error(&id, &error))),
            Entry::Notification(_) => None,
            Entry::Call(id, request) => Some(match self.prepare(&id, request, no_subscribe) {
                Ok(prepared) => Step::Execute(Box::new(prepared)),
                Err(error) => Step::Reply(reply::error(&id, &error)),
            }),
        }
    }

    fn prepare(
        &self,
        id: &RequestId,
        request: Request,
        no_subscribe: bool,
    ) -> Result<Prepared, RpcError> {
        let Some(ticket) = self.in_flight.take(&id.key) else {
            return Err(invalid("a call with this id is in flight"));
        };
        let Some((spec, MethodCallback::Async(callback))) = self.table.find(&request.method) else {
            return Err(RpcError::new(ErrorCode::MethodNotFound, "no such method"));
        };
        if no_subscribe && spec.kind == MethodKind::Subscribe {
            return Err(invalid("a subscription cannot be begun in a batch"));
        }
        if self.connection.caller().access < spec.access {
            let needed = json!({ "access": spec.access });
            let error = RpcError::new(ErrorCode::Forbidden, "the caller may not use this method");
            return Err(error.with_details(needed));
        }
        let gates = Gates::default();
        let call = Call::new(self.connection.clone(), spec.kind, gates.clone());
        let callback = Arc::clone(callback);
        let response = async move {
            let mut extensions = Extensions::new();
            extensions.insert(call);
            callback(
                Id::Null,
                request.params,
                ConnectionId(0),
                usize::MAX,
                extensions,
            )
            .await
        };
        Ok(Prepared {
            id: id.clone(),
            response: Box::pin(response),
            gates,
            method: request.method,
            reply: spec.reply,
            _ticket: Some(ticket),
        })
    }
}

/// The replies of a batch, which together stay below the limit, and what to hold until they are
/// sent.
async fn answers(steps: Vec<(Step, bool)>, limit: usize) -> (Vec<Text>, Vec<Option<Ticket>>) {
    let (mut replies, mut tickets) = (Vec::new(), Vec::new());
    let mut left = limit;
    let mut open = steps.len();
    for (step, replied) in steps {
        open -= 1;
        let text = match step {
            Step::Reply(text) => text,
            Step::Execute(prepared) => {
                let room = left.saturating_sub(open * ENTRY_RESERVE);
                let answer = prepared.answer(room).await;
                answer.gates.settle(false);
                tickets.push(answer._ticket);
                answer.text
            }
        };
        if replied {
            left = left.saturating_sub(text.len() + 1);
            replies.push(text);
        }
    }
    (replies, tickets)
}

impl Step {
    /// How large the reply may become, where that is much.
    fn reply(&self) -> usize {
        match self {
            Self::Execute(prepared) => prepared.reply,
            Self::Reply(_) => 0,
        }
    }
}

impl Prepared {
    /// Runs the handler; a reply beyond the limit becomes an error.
    async fn answer(self, limit: usize) -> Answer {
        let Self {
            id,
            response,
            gates,
            method,
            _ticket,
            ..
        } = self;
        let (text, success) = match AssertUnwindSafe(response).catch_unwind().await {
            Ok(response) => address(&id, response, limit),
            Err(_) => {
                tracing::error!(%method, "a handler panicked");
                let error =
                    RpcError::new(ErrorCode::InternalError, "the method failed unexpectedly");
                (reply::error(&id, &error), false)
            }
        };
        Answer {
            text,
            success,
            gates,
            _ticket,
        }
    }
}

fn address(id: &RequestId, response: MethodResponse, limit: usize) -> (Text, bool) {
    let success = response.is_success();
    let error = match reply::readdress(id, response.into_json().into()) {
        Some(text) if text.len() <= limit => return (text, success),
        Some(text) => {
            let details = json!({ "limit": limit, "size": text.len() });
            let message = "the reply is larger than the limit";
            RpcError::new(ErrorCode::PayloadTooLarge, message).with_details(details)
        }
        None => RpcError::new(ErrorCode::InternalError, "the method gave no reply"),
    };
    (reply::error(id, &error), false)
}
