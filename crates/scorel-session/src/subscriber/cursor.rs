use scorel_journal::Place;
use scorel_proto::Seq;

use super::BATCH_BYTES;
use crate::SessionError;
use crate::lane::Lane;

/// The places of the persistent events that are sent next.
pub(crate) struct Page {
    pub(crate) places: Vec<Place>,
    /// Whether there are more in the range.
    pub(crate) more: bool,
}

impl Page {
    /// The first events of `(after, through]`.
    pub(crate) async fn between(
        lane: &Lane,
        after: Seq,
        through: Seq,
    ) -> Result<Self, SessionError> {
        let state = lane.lock().await;
        state.check_exists()?;
        let rest = state.index.after(after);
        let rest = &rest[..rest.partition_point(|place| place.seq <= through)];
        let count = fitting(rest);
        Ok(Self {
            places: rest[..count].to_vec(),
            more: count < rest.len(),
        })
    }
}

/// How many of `places` fit into one batch; at least one, if there is one.
pub(crate) fn fitting(places: &[Place]) -> usize {
    let mut bytes = 0;
    let fits = |place: &&Place| {
        let first = bytes == 0;
        bytes += place.len as usize;
        first || bytes <= BATCH_BYTES
    };
    places.iter().take_while(fits).count()
}
