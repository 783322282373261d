//! Executing calls. In: the entries of a frame; out: futures that put replies into the outbox.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jsonrpsee::types::{Id, Params};
use jsonrpsee::{ConnectionId, Extensions, MethodCallback, MethodResponse};
use scorel_peer::{
    Closed, Frame, FrameEntry, JsonText, RequestId, RequestObject, invalid_request, refusal,
};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;

use crate::call::Gates;
use crate::in_flight::{IdReservation, InFlight};
use crate::own_writes::OwnWrites;
use crate::{CallObserver, Connection, MethodKind, MethodTable, RpcCall, reply};

/// The execution of a frame.
pub(crate) struct FrameWork {
    /// Resolves when the reply is in the outbox.
    pub(crate) run: BoxFuture<'static, ()>,
    /// See [`MethodSpec::reply`](crate::MethodSpec::reply), in bytes.
    pub(crate) reply: usize,
}

/// Room in a batch's reply, in bytes, for each entry that is not answered yet: enough for an error, so
/// that one large result does not leave the others without a reply.
const ENTRY_RESERVE: usize = 2 * 1024;

/// Turns the frames of one connection into futures.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    table: Arc<MethodTable>,
    connection: Connection,
    in_flight: InFlight,
    writes: OwnWrites,
}

/// A call that passed all checks.
struct PreparedCall {
    id: RequestId,
    response: BoxFuture<'static, MethodResponse>,
    gates: Gates,
    method: &'static str,
    observer: Option<Arc<dyn CallObserver>>,
    reply: usize,
    _reservation: IdReservation,
}

/// A call with its reply, which is not in the outbox yet.
struct AnsweredCall {
    text: JsonText,
    success: bool,
    gates: Gates,
    _reservation: IdReservation,
}

enum EntryStep {
    Execute(Box<PreparedCall>),
    /// As [`Execute`](Self::Execute), without a reply; errors are dropped, as JSON-RPC demands.
    Notify(Box<PreparedCall>),
    Reply(JsonText),
}

impl Dispatcher {
    pub(crate) fn new(table: Arc<MethodTable>, connection: Connection) -> Self {
        Self {
            table,
            connection,
            in_flight: InFlight::default(),
            writes: OwnWrites::default(),
        }
    }

    /// `None` if there is nothing to execute or reply.
    pub(crate) fn work(&self, frame: Frame<'_>) -> Option<FrameWork> {
        match frame {
            Frame::Single(entry) => self.step(entry, false).map(|step| self.single(step)),
            Frame::Batch(entries) => self.batch(entries),
            Frame::Refused(error) => Some(self.refusal(&error)),
            Frame::NotUtf8 => {
                let message = "not readable as JSON: not UTF-8";
                Some(self.refusal(&RpcError::new(ErrorCode::ParseError, message)))
            }
        }
    }

    /// An error reply without an id.
    pub(crate) fn refusal(&self, error: &RpcError) -> FrameWork {
        self.single(EntryStep::Reply(refusal(&RequestId::null(), error)))
    }

    fn single(&self, step: EntryStep) -> FrameWork {
        let connection = self.connection.clone();
        let reply = step.reply();
        let run = Box::pin(async move {
            let outbox = connection.outbox();
            match step {
                EntryStep::Execute(prepared) => {
                    let answer = prepared.answer(connection.limits().frame_out).await;
                    let sent = outbox.reply(answer.text).await.is_ok();
                    answer.gates.settle(answer.success && sent);
                }
                EntryStep::Notify(prepared) => {
                    drop(prepared.answer(connection.limits().frame_out).await);
                }
                // Fails if the connection is ending.
                EntryStep::Reply(text) => {
                    let _: Result<(), Closed> = outbox.reply(text).await;
                }
            }
        });
        FrameWork { run, reply }
    }

    /// Runs the entries one after another; a batch counts as one call in flight. A batch of
    /// notifications has no reply.
    fn batch(&self, entries: Vec<FrameEntry<'_>>) -> Option<FrameWork> {
        let steps = entries.into_iter();
        let steps: Vec<_> = steps.filter_map(|entry| self.step(entry, true)).collect();
        let connection = self.connection.clone();
        let limit = connection.limits().frame_out;
        let reply = steps.iter().map(EntryStep::reply).sum::<usize>();
        (!steps.is_empty()).then(|| FrameWork {
            reply: reply.min(limit),
            run: Box::pin(async move {
                let (replies, _reservations) = answers(steps, limit).await;
                if !replies.is_empty() {
                    // Fails if the connection is ending.
                    let _: Result<(), Closed> =
                        connection.outbox().reply(reply::batch(&replies)).await;
                }
            }),
        })
    }

    /// `None` if the entry is ignored.
    fn step(&self, entry: FrameEntry<'_>, no_subscribe: bool) -> Option<EntryStep> {
        match entry {
            FrameEntry::Answer(answer) => {
                self.connection.peer().answered(&answer);
                None
            }
            FrameEntry::Invalid(id, error) => Some(EntryStep::Reply(refusal(&id, &error))),
            FrameEntry::Notification(request) => {
                let prepared = self.prepare(&RequestId::null(), &request, true).ok()?;
                Some(EntryStep::Notify(Box::new(prepared)))
            }
            FrameEntry::Call(id, request) => {
                Some(match self.prepare(&id, &request, no_subscribe) {
                    Ok(prepared) => EntryStep::Execute(Box::new(prepared)),
                    Err(error) => EntryStep::Reply(refusal(&id, &error)),
                })
            }
        }
    }

    fn prepare(
        &self,
        id: &RequestId,
        request: &RequestObject<'_>,
        no_subscribe: bool,
    ) -> Result<PreparedCall, RpcError> {
        let Some(reservation) = self.in_flight.reserve(&id.key) else {
            return Err(invalid_request("a call with this id is in flight"));
        };
        let Some((spec, MethodCallback::Async(callback))) = self.table.find(&request.method) else {
            return Err(RpcError::new(ErrorCode::MethodNotFound, "no such method"));
        };
        if no_subscribe && spec.kind == MethodKind::Subscribe {
            return Err(invalid_request("a batch cannot contain a subscribe call"));
        }
        if self.connection.caller().access < spec.access {
            let needed = json!({ "access": spec.access });
            let error = RpcError::new(ErrorCode::Forbidden, "the caller may not use this method");
            return Err(error.with_details(needed));
        }
        let gates = Gates::default();
        let callback = Arc::clone(callback);
        let params = Params::new(request.params).into_owned();
        let order = self.writes.order(spec, &params);
        let connection = self.connection.clone();
        let call = RpcCall {
            connection,
            kind: spec.kind,
            gates: gates.clone(),
            write: order.write.clone(),
        };
        let response = async move {
            order.reached().await;
            let mut extensions = Extensions::new();
            extensions.insert(call);
            let answered = callback(Id::Null, params, ConnectionId(0), usize::MAX, extensions);
            let answer = answered.await;
            drop(order);
            answer
        };
        Ok(PreparedCall {
            id: id.clone(),
            response: Box::pin(response),
            gates,
            method: spec.name,
            observer: self.table.observer().cloned(),
            reply: spec.reply,
            _reservation: reservation,
        })
    }
}

/// The replies of a batch, together at most `limit` bytes, and the reservations to hold until they are
/// queued.
async fn answers(steps: Vec<EntryStep>, limit: usize) -> (Vec<JsonText>, Vec<IdReservation>) {
    let (mut replies, mut reservations) = (Vec::new(), Vec::new());
    let mut left = limit;
    let mut open = steps.len();
    for step in steps {
        open -= 1;
        let room = left.saturating_sub(open * ENTRY_RESERVE);
        let text = match step {
            EntryStep::Reply(text) => text,
            EntryStep::Notify(prepared) => {
                reservations.push(prepared.answer(room).await._reservation);
                continue;
            }
            EntryStep::Execute(prepared) => {
                let answer = prepared.answer(room).await;
                reservations.push(answer._reservation);
                answer.text
            }
        };
        left = left.saturating_sub(text.len() + 1);
        replies.push(text);
    }
    (replies, reservations)
}

impl EntryStep {
    fn reply(&self) -> usize {
        match self {
            Self::Execute(prepared) | Self::Notify(prepared) => prepared.reply,
            Self::Reply(_) => 0,
        }
    }
}

impl PreparedCall {
    /// Runs the handler. A reply of more than `limit` bytes becomes an error.
    async fn answer(self, limit: usize) -> AnsweredCall {
        let Self {
            id,
            response,
            gates,
            method,
            observer,
            _reservation,
            ..
        } = self;
        let began = Instant::now();
        let (text, success) = match AssertUnwindSafe(response).catch_unwind().await {
            Ok(response) => address(&id, response, limit),
            Err(_) => {
                tracing::error!(%method, "a handler panicked");
                let error =
                    RpcError::new(ErrorCode::InternalError, "the method failed unexpectedly");
                (refusal(&id, &error), false)
            }
        };
        if let Some(observer) = observer {
            observer.answered(method, began.elapsed());
        }
        AnsweredCall {
            text,
            success,
            gates,
            _reservation,
        }
    }
}

fn address(id: &RequestId, response: MethodResponse, limit: usize) -> (JsonText, bool) {
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
    (refusal(id, &error), false)
}
