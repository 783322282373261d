//! JSON-RPC 2.0 over any stream and sink of JSON texts.
//!
//! A [`Table`] of methods is served by a [`Service`] to one connection after another. The driver
//! knows nothing of what the methods do; it is the one place where framing, limits, order and
//! backpressure are decided, so that every transport behaves alike.
//!
//! * **Framing.** [`Service::serve_stream`] tells newline-delimited JSON and the base protocol of
//!   the language server protocol apart by the first byte; [`Service::serve`] takes any other
//!   source of texts.
//! * **Order.** Every call is polled once, in order of arrival, before the next frame is read: what
//!   a handler does before its first pending await happens in order of arrival. Replies and
//!   notifications share one outbox. A subscribe reply precedes the subscription's first event, and
//!   an unsubscribe reply follows its last.
//! * **Backpressure.** The outbox is bounded in bytes; calls in flight are bounded in number and in
//!   bytes. At any of these bounds the connection is no longer read.
//! * **Memory.** What a frame costs is a small multiple of its size, whatever is in it: arrays are
//!   not read further than their limits, and errors repeat only the beginning of what was wrong.
//! * **Cancellation.** A connection owns its calls and pumps. When it ends they are dropped at
//!   their next await, so handlers and pumps have to be cancel-safe.

mod array;
mod beginning;
mod call;
mod caller;
mod connection;
mod dispatch;
mod driver;
mod envelope;
mod framing;
mod in_flight;
mod limits;
mod listener;
mod outbox;
mod params;
mod registry;
mod reply;
mod service;
mod subscription;
mod table;
mod text;
mod writer;

pub use call::Call;
pub use caller::{Caller, Principal};
pub use connection::Connection;
pub use framing::FrameError;
pub use limits::{InvalidLimits, Limits};
pub use listener::{BindError, Listener, local_user};
pub use outbox::Closed;
pub use params::Params;
pub use scorel_proto::Access;
pub use service::{End, Load, Service};
pub use subscription::{Sink, Subscription};
pub use table::{DuplicateMethod, MethodKind, MethodSpec, MethodTable, Table};
pub use text::Text;
