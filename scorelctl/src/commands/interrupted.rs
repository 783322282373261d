use scorel_proto::SessionId;

/// The hint that says how to go on after the end of the daemon has interrupted a turn.
pub(super) fn interrupted_hint(session_id: SessionId) -> String {
    format!("hint: `scorelctl send --session {session_id} TEXT` goes on from here")
}
