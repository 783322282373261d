//! JSON-RPC 2.0 over any stream and sink of JSON texts.
//!
//! In: bytes or texts of a client, and a [`Table`] of methods. Out: replies and notifications. The driver
//! does not know what the methods do. Limits, order and backpressure are decided here and nowhere else,
//! so that every transport behaves alike. The connection itself is a [`Peer`](scorel_peer::Peer), as at
//! the client: [`Connection::call`] calls the client.
//!
//! ```text
//! bytes ─ framing → frame ─ envelope → entries ─ dispatch → handler ─ reply ─→ outbox ─ writer → bytes
//!                                                 subscription pumps ─ events ─↗
//! ```
//!
//! * **Framing.** [`Service::serve_stream`] detects newline-delimited JSON or the base protocol of the
//!   Language Server Protocol by the first byte; [`Service::serve`] takes any other stream of texts.
//! * **HTTP.** A [`Listener`] with [`HttpDocuments`] answers a `GET` with one of them; no other transport
//!   does.
//! * **Order.** Every call is polled once, in order of arrival, before the next frame is read. Replies
//!   and notifications share one outbox. A subscribe reply precedes the subscription's first event,
//!   and an unsubscribe reply follows its last.
//! * **Backpressure.** The outbox is bounded in bytes; calls in flight are bounded in number and in
//!   bytes. At any of these limits the connection is not read.
//! * **Memory.** A frame costs a small multiple of its size, whatever it contains: arrays are not kept
//!   beyond their limits, and errors quote a bounded part of the input.
//! * **Cancellation.** A connection owns its calls and pumps. When it ends they are dropped at their
//!   next await, so handlers and pumps must be cancel-safe.

mod call;
mod call_observer;
mod caller;
mod connection;
mod dispatch;
mod driver;
mod end;
mod http;
mod in_flight;
mod limits;
mod listener;
mod method;
mod own_writes;
mod params;
mod registry;
mod reply;
mod service;
mod subscription;
mod table;

pub use call::RpcCall;
pub use call_observer::CallObserver;
pub use caller::{Caller, Principal};
pub use connection::Connection;
pub use end::ConnectionEnd;
pub use http::{HttpDocument, HttpDocuments};
pub use limits::{InvalidLimits, RpcLimits};
pub use listener::{BindError, Listener, local_user};
pub use method::{MethodKind, MethodSpec};
pub use params::{ParamNames, Params};
pub use scorel_peer::{CallError, Closed, FrameError, JsonText, TextStream};
pub use scorel_proto::AccessLevel;
pub use service::{Load, Service};
pub use subscription::{Sink, Subscription};
pub use table::{DuplicateMethod, MethodTable, Table};
