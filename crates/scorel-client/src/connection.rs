//! One connection to the daemon: calls, and subscriptions with backpressure.

mod frame;
mod hello;
mod link;
mod reader;
mod subscription;

use std::path::Path;
use std::sync::Arc;

use scorel_proto::{Method, NoParams, SubscribeEvents, SubscribeEventsParams, SubscribeHost};
use serde_json::value::RawValue;
use tokio::net::UnixStream;
use tokio::sync::oneshot;

pub use subscription::Subscription;

use crate::ClientError;
use link::ConnectionLink;
use reader::PendingReply;

/// A connection to the daemon over its Unix socket.
///
/// Clones share the connection; it closes when the last clone and the last of its subscriptions are
/// dropped. A subscription whose items are not taken blocks the whole connection, calls included:
/// use a separate connection for each long-lived subscription.
#[derive(Debug, Clone)]
pub struct Connection {
    link: Arc<ConnectionLink>,
}

impl Connection {
    /// Connects to the socket at `path`, without a handshake; see [`Connection::hello`].
    ///
    /// # Errors
    ///
    /// [`ClientError::Unreachable`] if nothing listens there.
    pub async fn connect(path: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(path).await;
        let stream = stream.map_err(|source| ClientError::Unreachable {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(Self::from_stream(stream))
    }

    /// Uses a stream that is already connected. Must be called inside a Tokio runtime.
    #[must_use]
    pub fn from_stream(stream: UnixStream) -> Self {
        let link = Arc::new(ConnectionLink::new(stream));
        Self { link }
    }

    /// Calls a method and waits for its result.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] if the call fails, [`ClientError::Closed`] if the connection closes
    /// before the reply, [`ClientError::Protocol`] if the result does not have the method's type.
    pub async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let params = encoded::<M>(params)?;
        let result = self.request(M::NAME, Some(&params)).await?;
        M::decode_result(&result)
            .map_err(|error| ClientError::Protocol(format!("result of {}: {error}", M::NAME)))
    }

    /// Calls a method by name, with parameters and result as JSON.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn call_raw(
        &self,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, ClientError> {
        self.request(method, params.as_deref()).await
    }

    /// Subscribes to a session: events and markers, as the daemon sends them.
    /// [`crate::SessionStream`] applies the protocol's resync rules to them.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn subscribe_events(
        &self,
        params: &SubscribeEventsParams,
    ) -> Result<Subscription, ClientError> {
        self.subscribe::<SubscribeEvents>(params, "unsubscribeEvents")
            .await
    }

    /// Subscribes to the daemon itself. Each item is a [`scorel_proto::HostEvent`].
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn subscribe_host(&self) -> Result<Subscription, ClientError> {
        self.subscribe::<SubscribeHost>(&NoParams {}, "unsubscribeHost")
            .await
    }

    /// Waits until the connection is closed, by either side.
    pub async fn closed(&self) {
        self.link.closed().await;
    }

    async fn subscribe<M: Method>(
        &self,
        params: &M::Params,
        unsubscribe: &'static str,
    ) -> Result<Subscription, ClientError> {
        let (reply, receiver) = oneshot::channel();
        let pending = PendingReply::Subscribe(reply);
        let params = encoded::<M>(params)?;
        self.link.send(M::NAME, Some(&params), pending).await?;
        let (id, items) = self.link.received(receiver).await?;
        let link = Arc::clone(&self.link);
        Ok(Subscription::new(link, id, items, unsubscribe))
    }

    async fn request(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, ClientError> {
        let (reply, receiver) = oneshot::channel();
        let pending = PendingReply::Call(reply);
        self.link.send(method, params, pending).await?;
        self.link.received(receiver).await
    }
}

fn encoded<M: Method>(params: &M::Params) -> Result<Box<RawValue>, ClientError> {
    M::encode_params(params)
        .map_err(|error| ClientError::Protocol(format!("parameters of {}: {error}", M::NAME)))
}
