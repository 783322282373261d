use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_proto::SubscriberStatus;
use scorel_rpc::Connection;
use scorel_session::SubscriberLag;

/// How many subscribers a status lists, those that are furthest behind.
const MAX_LISTED: usize = 100;

/// The clients that follow sessions.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    state: Mutex<FollowersState>,
}

#[derive(Debug, Default)]
struct FollowersState {
    open: HashMap<u64, Follower>,
    next: u64,
}

#[derive(Debug)]
struct Follower {
    connection: Connection,
    lag: SubscriberLag,
}

/// A client that follows a session, until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenFollower {
    followers: Arc<Followers>,
    key: u64,
}

impl Followers {
    pub(crate) fn add(
        self: &Arc<Self>,
        connection: Connection,
        lag: SubscriberLag,
    ) -> OpenFollower {
        let mut state = self.state();
        let key = state.next;
        state.next += 1;
        state.open.insert(key, Follower { connection, lag });
        OpenFollower {
            followers: Arc::clone(self),
            key,
        }
    }

    /// Those that are furthest behind first.
    pub(crate) fn list(&self) -> Vec<SubscriberStatus> {
        let mut all: Vec<_> = self.state().open.values().map(Follower::status).collect();
        all.sort_unstable_by_key(|one| (std::cmp::Reverse(one.lag_events), one.session_id));
        all.truncate(MAX_LISTED);
        all
    }

    /// How far the slowest is behind; 0 if there is none.
    pub(crate) fn largest_lag(&self) -> u64 {
        let state = self.state();
        let lags = state.open.values().map(|one| one.lag.events());
        lags.max().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, FollowersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower {
    fn status(&self) -> SubscriberStatus {
        SubscriberStatus {
            // Asked now: a client may name itself after it has subscribed.
            client_id: self.connection.caller().client_id,
            session_id: self.lag.session_id(),
            lag_events: self.lag.events(),
        }
    }
}

impl Drop for OpenFollower {
    fn drop(&mut self) {
        self.followers.state().open.remove(&self.key);
    }
}
