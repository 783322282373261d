use std::fmt;
use std::str::FromStr;

use scorel_proto::{Seq, SyncMode};

use crate::SessionError;
use crate::sync::SyncCursor;

/// `nextPage` of `resync`: the cursor in text form, `full.A`, `persistent.A`, `resume.A.T` or
/// `live.A.C.R`.
///
/// The daemon keeps nothing between two pages, so a client may take its time, or never return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageToken {
    pub(super) cursor: SyncCursor,
    /// The end of live events.
    pub(super) cut: Option<Seq>,
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cursor {
            SyncCursor::Reload {
                mode: SyncMode::FullReload,
                after,
            } => write!(f, "full.{after}"),
            SyncCursor::Reload { after, .. } => write!(f, "persistent.{after}"),
            SyncCursor::Resume { after, through } => write!(f, "resume.{after}.{through}"),
            SyncCursor::Live { after, record } => {
                let cut = self.cut.unwrap_or(after);
                write!(f, "live.{after}.{cut}.{record}")
            }
        }
    }
}

impl FromStr for PageToken {
    type Err = SessionError;

    fn from_str(text: &str) -> Result<Self, SessionError> {
        let invalid = || SessionError::InvalidParams("`page` is not a page of resync".to_owned());
        let mut parts = text.split('.');
        let kind = parts.next().unwrap_or_default();
        let seqs: Option<Vec<Seq>> = parts
            .map(|part| part.parse().ok().and_then(Seq::new))
            .collect();
        let reload = |mode, after| SyncCursor::Reload { mode, after };
        let mut cut = None;
        let cursor = match (kind, seqs.ok_or_else(invalid)?.as_slice()) {
            ("full", &[after]) => reload(SyncMode::FullReload, after),
            ("persistent", &[after]) => reload(SyncMode::PersistentFallback, after),
            ("resume", &[after, through]) => SyncCursor::Resume { after, through },
            ("live", &[after, end, record]) => {
                cut = Some(end);
                SyncCursor::Live { after, record }
            }
            _ => return Err(invalid()),
        };
        Ok(Self { cursor, cut })
    }
}
