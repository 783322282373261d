use std::fmt;

use futures_util::future::BoxFuture;
use scorel_proto::{FireChannelResult, RpcError};
use tokio::sync::watch;

use super::{ChannelsConfig, CronMessage};

/// The configuration, as the schedules need it.
pub trait CronConfig: fmt::Debug + Send + Sync {
    /// The one in effect. Blocks on the disk.
    fn channels(&self) -> ChannelsConfig;

    /// Changes with it.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// The daemon, as the schedules need it.
pub trait CronPort: fmt::Debug + Send + Sync {
    /// Sends a message, once: one that was sent before has the first answer. Returns when it is durable.
    ///
    /// One that is to be left out while a session works fails with `runtime_busy` or `queue_paused`.
    fn deliver(
        &self,
        message: CronMessage,
    ) -> BoxFuture<'static, Result<FireChannelResult, RpcError>>;
}
