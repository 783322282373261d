use scorel_home::receipts::Subject;
use scorel_proto::SessionId;
use scorel_session::SessionError;

use super::attempt::Attempt;
use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    /// Brings a session back. In a second attempt it is no error that it is there: the first has brought it
    /// back and did not get to end its receipt.
    pub(super) async fn undelete_session(
        &self,
        session_id: SessionId,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        match self.sessions.undelete(session_id).await {
            Err(SessionError::Conflict(_)) if attempt == Attempt::Again => {}
            undeleted => undeleted?,
        }
        Ok(Subject::SessionId(session_id))
    }
}
