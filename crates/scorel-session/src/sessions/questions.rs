//! The open questions of all sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use scorel_proto::{ListQuestionsResult, PermissionRequestId};

use super::Sessions;
use super::question_filter::QuestionFilter;
use crate::lane::encoded_len;
use crate::{Lane, SessionError};

/// The bound of a page of questions, in bytes. Inputs are exact, so one question may have more.
const PAGE_BYTES: usize = 1024 * 1024;

impl Sessions {
    /// A page of open questions, the oldest first. A session that asks is in memory from its load on,
    /// and loaded by the recovery, so that no other session has to be.
    ///
    /// # Errors
    ///
    /// If there is no such session, or one that may ask cannot be loaded at the moment.
    pub async fn list_questions(
        self: &Arc<Self>,
        filter: QuestionFilter,
    ) -> Result<ListQuestionsResult, SessionError> {
        if let Some(id) = filter.session_id {
            self.get(id).await?.session()?;
        }
        self.load_unfinished().await?;
        Ok(self.questions(&filter))
    }

    /// Those of the sessions in memory. Ids sort by the time at which they were made. Inputs are copied for
    /// one page only; a question that is answered meanwhile is left out.
    pub(super) fn questions(&self, filter: &QuestionFilter) -> ListQuestionsResult {
        let mut page = ListQuestionsResult::default();
        let mut bytes = 0;
        for (id, lane) in self.asked(filter) {
            let Some(question) = lane.published().question(id) else {
                continue;
            };
            let size = encoded_len(&question);
            let is_full = page.questions.len() == filter.limit || bytes + size > PAGE_BYTES;
            if let Some(last) = page.questions.last().filter(|_| is_full) {
                page.next_cursor = Some(last.request.request_id);
                break;
            }
            bytes += size;
            page.questions.push(question);
        }
        page
    }

    fn asked(&self, filter: &QuestionFilter) -> BTreeMap<PermissionRequestId, Arc<Lane>> {
        let mut asked = BTreeMap::new();
        for lane in self.lanes() {
            if filter.concerns(lane.header()) {
                let open = lane.published().open_questions();
                let open = open.into_iter().filter(|id| filter.after < Some(*id));
                asked.extend(open.map(|id| (id, Arc::clone(&lane))));
            }
        }
        asked
    }
}
