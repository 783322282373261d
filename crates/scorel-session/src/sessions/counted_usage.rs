use std::sync::Arc;

use scorel_proto::PersistentEvent;

use crate::SessionFeature;
use crate::lane::Section;
use crate::shared::LaneShared;

/// Has the records of all sessions counted.
#[derive(Debug)]
pub(super) struct CountedUsage(pub(super) Arc<LaneShared>);

impl SessionFeature for CountedUsage {
    fn committed(&self, section: &Section<'_>, event: &PersistentEvent) {
        let place = section.published().place_of(event.seq);
        if let Some(place) = place {
            self.0.usage.record(section.lane().header(), place, event);
        }
    }
}
