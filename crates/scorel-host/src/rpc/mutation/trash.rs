use scorel_home::receipts::Subject;
use scorel_proto::SessionId;
use scorel_session::SessionError;

use super::attempt::Attempt;
use crate::rpc::call_error::CallError;

/// What bringing a session back comes to. In a second attempt it is no error that it is there: the first
/// has brought it back and did not get to end its receipt.
pub(super) fn undeleted(
    result: Result<(), SessionError>,
    session_id: SessionId,
    attempt: Attempt,
) -> Result<Subject, CallError> {
    match result {
        Err(SessionError::Conflict(_)) if attempt == Attempt::Again => {}
        result => result?,
    }
    Ok(Subject::SessionId(session_id))
}
