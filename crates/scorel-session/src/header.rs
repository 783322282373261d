use scorel_journal::{FORMAT, Header};
use scorel_proto::{
    DeviceId, Phase, ProjectId, Session, SessionId, SessionKind, SessionParent, SessionView,
};
use serde::{Deserialize, Serialize};

/// The first line of a session's log: what never changes about the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionHeader {
    /// Always `session`.
    #[serde(rename = "type")]
    pub type_name: HeaderType,
    /// The format of the log.
    pub format: u32,
    /// The session.
    pub session_id: SessionId,
    /// The project it belongs to, for life.
    pub project_id: ProjectId,
    /// The machine it was made on.
    pub device_id: DeviceId,
    /// What made it.
    #[serde(default)]
    pub kind: SessionKind,
    /// The session it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionParent>,
    /// When it was made, in milliseconds since 1970.
    pub created_at: u64,
    /// The version of the daemon that made it.
    pub version: String,
}

impl SessionHeader {
    /// The header of the session `id`, from the first line of its log.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(crate) fn read(line: &Header, id: SessionId) -> Result<Self, String> {
        let header: Self = serde_json::from_str(line.text()).map_err(|error| {
            newer(line.format()).unwrap_or_else(|| {
                format!("the log's first line is not that of a session: {error}")
            })
        })?;
        if header.session_id == id {
            Ok(header)
        } else {
            Err(format!("the log is that of {}", header.session_id))
        }
    }

    /// Why the session can only be read, if that is so.
    pub(crate) fn problem(&self) -> Option<String> {
        newer(self.format)
    }

    /// Describes the session as it is while nothing runs in it.
    pub(crate) fn describe(&self, view: &SessionView) -> Session {
        let folded = &view.state;
        Session {
            session_id: self.session_id,
            project_id: self.project_id,
            kind: self.kind,
            parent: self.parent.clone(),
            title: folded.display_title().map(str::to_owned),
            model: folded.model.clone(),
            thinking_level: folded.thinking_level,
            tools: folded.tools,
            phase: Phase::Idle,
            turn_id: None,
            active_leaf_id: view.leaf(),
            current_seq: folded.last_seq,
            last_persistent_seq: folded.last_persistent_seq,
            queue: folded.queue.items.clone(),
            queue_version: folded.queue.version,
            queue_paused: folded.queue.paused,
            usage: folded.usage,
            created_at: self.created_at,
            updated_at: folded.updated_at.max(self.created_at),
            archived: folded.archived,
            problem: None,
        }
    }
}

fn newer(format: u32) -> Option<String> {
    (format > FORMAT).then(|| {
        format!(
            "the log has format {format}, which a newer version has written; this version can only \
             read it"
        )
    })
}

/// The `type` of a session's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeaderType {
    /// A session.
    Session,
}
