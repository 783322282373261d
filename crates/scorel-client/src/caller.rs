//! Calls that survive a lost connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::FutureExt as _;
use scorel_proto::Method;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::connection::{decoded, encoded};
use crate::{Backoff, CallerState, ClientError, Connect, Connection};

/// The longest request that a daemon reads, in bytes, unless its configuration says otherwise
/// (`rpc.maxFrameIn`). It closes the connection at a longer one.
const MAX_REQUEST: usize = 8 * 1024 * 1024;

/// The part of [`MAX_REQUEST`] that the method's name, the call's number and the framing may take, in bytes.
const ENVELOPE: usize = 1024;

/// Typed calls to the daemon that survive a lost connection: the call is repeated on a new one. Every call
/// made through here must therefore be safe to repeat, as a command with its command id is.
///
/// Clones share the connection, and call at the same time. After a loss one of them reconnects, with
/// growing random delays, and the others wait for it.
#[derive(Debug)]
pub struct Caller<C> {
    shared: Arc<SharedConnection<C>>,
    patience: Duration,
}

#[derive(Debug)]
struct SharedConnection<C> {
    /// Held while reconnecting, so that one caller does it at a time.
    connector: tokio::sync::Mutex<C>,
    /// Never held across an await.
    current: Mutex<NumberedConnection>,
    state: watch::Sender<CallerState>,
}

/// A connection and its number: a caller that found number 3 lost needs no new one if there is a number 4.
#[derive(Debug, Clone)]
struct NumberedConnection {
    number: u64,
    connection: Connection,
}

impl<C> Clone for Caller<C> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            patience: self.patience,
        }
    }
}

impl<C: Connect> Caller<C> {
    /// Connects. A call is repeated for up to `patience` after it found the connection lost.
    ///
    /// # Errors
    ///
    /// If the first attempt fails.
    pub async fn connect(mut connector: C, patience: Duration) -> Result<Self, ClientError> {
        let connection = connector.connect().await?;
        Ok(Self::new(connector, connection, patience))
    }

    /// Goes on with `connection`. `connector` makes those after it.
    pub fn new(connector: C, connection: Connection, patience: Duration) -> Self {
        let current = NumberedConnection {
            number: 0,
            connection,
        };
        let shared = SharedConnection {
            connector: tokio::sync::Mutex::new(connector),
            current: Mutex::new(current),
            state: watch::Sender::new(CallerState::Connected),
        };
        Self {
            shared: Arc::new(shared),
            patience,
        }
    }

    /// The present connection, for a call that must not be repeated.
    pub fn connection(&self) -> Connection {
        self.shared.current().connection.clone()
    }

    /// Tells while calls wait for a new connection.
    pub fn state(&self) -> watch::Receiver<CallerState> {
        self.shared.state.subscribe()
    }

    /// Calls a method, again and again while the connection is lost and the patience lasts. To drop the
    /// future cancels the call on this side.
    ///
    /// # Errors
    ///
    /// [`ClientError::TooLong`] for a request that the daemon would not read, and those of
    /// [`Connection::call`] and of the connector.
    pub async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let params = encoded::<M>(params)?;
        check_length(&params)?;
        // Boxed, or it is compiled for every method.
        let answer = self.call_encoded(M::NAME, &params).boxed().await?;
        decoded::<M>(&answer)
    }

    async fn call_encoded(
        &self,
        method: &str,
        params: &RawValue,
    ) -> Result<Box<RawValue>, ClientError> {
        let mut backoff = Backoff::default();
        let mut deadline = None;
        loop {
            let NumberedConnection { number, connection } = self.shared.current().clone();
            let error = match connection.call_raw(method, Some(params)).await {
                Err(error) if error.is_lost_connection() => error,
                answer => return answer,
            };
            // A call that waits must not keep the lost connection's stream.
            drop(connection);
            let deadline = *deadline.get_or_insert_with(|| self.shared.deadline(self.patience));
            self.shared
                .renew(number, &mut backoff, deadline, error)
                .await?;
        }
    }
}

impl<C: Connect> SharedConnection<C> {
    fn current(&self) -> MutexGuard<'_, NumberedConnection> {
        // The value is replaced as a whole, so a poisoned lock is usable.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deadline(&self, patience: Duration) -> Instant {
        let now = Instant::now();
        // Centuries stand for a patience without end.
        now.checked_add(patience)
            .unwrap_or_else(|| now + Duration::from_secs(u64::from(u32::MAX)))
    }

    /// Replaces connection `lost`, or waits for the caller that does. `error` tells why it is lost.
    async fn renew(
        &self,
        lost: u64,
        backoff: &mut Backoff,
        deadline: Instant,
        mut error: ClientError,
    ) -> Result<(), ClientError> {
        let Ok(mut connector) = timeout_at(deadline, self.connector.lock()).await else {
            return Err(error);
        };
        while self.current().number == lost {
            if Instant::now() >= deadline {
                return Err(error);
            }
            self.tell_attempt();
            let (_, pause) = backoff.pause();
            sleep(pause).await;
            match connector.connect().await {
                Ok(connection) => self.replace(lost, connection),
                Err(failed) if failed.may_pass() => error = failed,
                Err(failed) => return Err(failed),
            }
        }
        Ok(())
    }

    fn replace(&self, lost: u64, connection: Connection) {
        *self.current() = NumberedConnection {
            number: lost + 1,
            connection,
        };
        self.state.send_replace(CallerState::Connected);
    }

    fn tell_attempt(&self) {
        self.state.send_modify(|state| {
            let (since, made) = match *state {
                CallerState::Connected => (Instant::now(), 0),
                CallerState::Reconnecting { since, attempt } => (since, attempt),
            };
            *state = CallerState::Reconnecting {
                since,
                attempt: made.saturating_add(1),
            };
        });
    }
}

fn check_length(params: &RawValue) -> Result<(), ClientError> {
    let bytes = params.get().len();
    if bytes > MAX_REQUEST - ENVELOPE {
        return Err(ClientError::TooLong {
            bytes,
            limit: MAX_REQUEST - ENVELOPE,
        });
    }
    Ok(())
}
