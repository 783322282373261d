//! One connection to the daemon: calls, and subscriptions with backpressure.

mod hello;
mod link;
mod subscription;

use std::path::Path;
use std::sync::Arc;

use futures_util::future::FutureExt as _;
use scorel_peer::TextStream;
use scorel_proto::{Method, NoParams, SubscribeEvents, SubscribeEventsParams, SubscribeHost};
use serde_json::value::RawValue;

pub use subscription::Subscription;

use crate::{ClientError, Dial};
use link::ConnectionLink;

/// A connection to the daemon, over whatever a [`Dial`] leads to.
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
        Self::dial(path).await
    }

    /// Connects by `dial`, without a handshake.
    ///
    /// # Errors
    ///
    /// Those of the dial, such as [`ClientError::Unreachable`].
    pub async fn dial(dial: &(impl Dial + ?Sized)) -> Result<Self, ClientError> {
        Ok(Self::over(dial.dial().await?))
    }

    /// A connection over a stream that leads to the daemon. Must be called inside a Tokio runtime.
    pub(crate) fn over(stream: TextStream) -> Self {
        Self {
            link: Arc::new(ConnectionLink::new(stream)),
        }
    }

    /// Calls a method and waits for its result.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] if the call fails, [`ClientError::Closed`] if the connection closes
    /// before the reply, [`ClientError::Protocol`] if the result does not have the method's type.
    pub async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let params = encoded::<M>(params)?;
        // Boxed, or the wait for an answer is compiled for every method.
        let answer = self.call_raw(M::NAME, Some(&params)).boxed().await?;
        decoded::<M>(&answer)
    }

    /// Calls a method by name, with parameters and result as JSON.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn call_raw(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, ClientError> {
        Ok(self.link.peer.call(method, params).await?)
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
        self.link.peer.ended().await;
    }

    async fn subscribe<M: Method>(
        &self,
        params: &M::Params,
        unsubscribe: &'static str,
    ) -> Result<Subscription, ClientError> {
        let params = encoded::<M>(params)?;
        let (id, items) = self.link.subscribe(M::NAME, &params).await?;
        let link = Arc::clone(&self.link);
        Ok(Subscription::new(link, id, items, unsubscribe))
    }
}

pub(crate) fn decoded<M: Method>(result: &RawValue) -> Result<M::Result, ClientError> {
    M::decode_result(result)
        .map_err(|error| ClientError::Protocol(format!("result of {}: {error}", M::NAME)))
}

pub(crate) fn encoded<M: Method>(params: &M::Params) -> Result<Box<RawValue>, ClientError> {
    M::encode_params(params)
        .map_err(|error| ClientError::Protocol(format!("parameters of {}: {error}", M::NAME)))
}
