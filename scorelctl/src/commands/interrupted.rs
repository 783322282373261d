use scorel_proto::SessionId;

/// How to go on after a turn that was interrupted by the end of the daemon.
pub(super) fn interrupted_hint(session_id: SessionId) -> String {
    format!("hint: `scorelctl send --session {session_id} TEXT` goes on from here")
}
