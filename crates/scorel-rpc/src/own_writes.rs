//! A connection reads its own writes: a call waits for the mutations of the same session that the
//! client sent before it. Reads use the published state, which does not hold them yet.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use jsonrpsee::types::Params as Raw;
use scorel_proto::AccessLevel;
use serde::Deserialize;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::MethodSpec;
use crate::params::{ParamNames, name};

/// The mutations of a connection that have not ended.
#[derive(Debug, Default)]
pub(crate) struct OwnWrites(Mutex<Vec<(Subject, CancellationToken)>>);

/// The session and the runtime of a call, by the names that all methods use.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subject {
    session_id: Option<String>,
    runtime_id: Option<String>,
}

/// A call's place in the order of its connection.
#[derive(Debug, Default)]
pub(crate) struct CallOrder {
    /// The mutations that a read waits for.
    after: Vec<CancellationToken>,
    /// Of a mutation: cancelled once reads see it.
    pub(crate) write: Option<CancellationToken>,
    /// Cancels `write` when the call ends.
    _end: Option<DropGuard>,
}

impl OwnWrites {
    /// The order of a call, in which they arrived.
    pub(crate) fn order(&self, spec: &MethodSpec, params: &Raw<'static>) -> CallOrder {
        let mut writes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writes.retain(|(_, ended)| !ended.is_cancelled());
        let is_read = spec.access == AccessLevel::Read;
        if is_read && writes.is_empty() {
            return CallOrder::default();
        }
        let Some(subject) = Subject::of(params, spec.params) else {
            return CallOrder::default();
        };
        if is_read {
            let before = writes.iter().filter(|(write, _)| subject.meets(write));
            return CallOrder {
                after: before.map(|(_, ended)| ended.clone()).collect(),
                ..CallOrder::default()
            };
        }
        let ended = CancellationToken::new();
        writes.push((subject, ended.clone()));
        CallOrder {
            after: Vec::new(),
            write: Some(ended.clone()),
            _end: Some(ended.drop_guard()),
        }
    }
}

impl CallOrder {
    /// Waits until the call may run.
    pub(crate) async fn reached(&self) {
        for write in &self.after {
            write.cancelled().await;
        }
    }
}

impl Subject {
    /// `None` if the params name none, or are not valid, which the method says.
    fn of(params: &Raw<'static>, names: ParamNames) -> Option<Self> {
        let text = match params.as_str()? {
            array if array.starts_with('[') => Cow::Owned(name(array, names).ok()?),
            object => Cow::Borrowed(object),
        };
        let subject: Self = serde_json::from_str(&text).ok()?;
        let is_named = subject.session_id.is_some() || subject.runtime_id.is_some();
        is_named.then_some(subject)
    }

    fn meets(&self, other: &Self) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        same(&self.session_id, &other.session_id) || same(&self.runtime_id, &other.runtime_id)
    }
}
