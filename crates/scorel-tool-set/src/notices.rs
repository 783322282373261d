//! Notices about sources without tools.

use scorel_proto::NoticeBody;

use crate::listing::Listing;

const LATER: &str = "They join when the tools are renewed: at a compaction, or with \
    `scorelctl call updateSession '{\"sessionId\": \"…\", \"refreshInstructions\": true}'`.";

/// The notice about what a source has listed, if there is one.
pub(crate) fn notice(source: &str, listing: &Listing) -> Option<NoticeBody> {
    match listing {
        Listing::Tools(_) => None,
        Listing::Late => Some(NoticeBody {
            code: format!("tools_late.{source}"),
            text: format!("The tools of {source} did not come in time. {LATER}"),
        }),
        Listing::Missing(reason) => Some(NoticeBody {
            code: format!("tools_missing.{source}"),
            text: format!("This turn begins without the tools of {source}: {reason}. {LATER}"),
        }),
    }
}
