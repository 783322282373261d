use scorel_proto::{
    ChannelSource, CommandId, Content, CreateSessionParams, ErrorCode, ProjectId,
    RegisterProjectParams, RpcError, SendMessageParams, SessionId, WhileRunning,
};

use super::{CronEntry, CronSession, Overlap};
use crate::source::{CRON, command_id};

/// A message of a schedule.
#[derive(Debug, Clone)]
pub struct CronMessage {
    pub(super) entry: CronEntry,
    /// The same whenever it is sent again.
    pub(super) external_id: String,
    /// The session that got the schedule's last message.
    pub last_session: Option<SessionId>,
}

/// The session that got a schedule's last message, if it is still there and in the schedule's project.
#[derive(Debug, Clone, Copy)]
pub struct LastSession {
    pub id: SessionId,
    /// True if a turn is open in it.
    pub works: bool,
    pub is_archived: bool,
}

impl CronMessage {
    /// The project, which the directory becomes if it is none.
    pub fn project(&self) -> RegisterProjectParams {
        RegisterProjectParams {
            work_dir: self.entry.project.display().to_string(),
            display_name: None,
            command_id: None,
        }
    }

    /// The session that gets it; `None` if it gets a new one.
    ///
    /// # Errors
    /// It is to be left out, because the last session works.
    pub fn session(&self, last: Option<LastSession>) -> Result<Option<SessionId>, RpcError> {
        let Some(last) = last else { return Ok(None) };
        match self.entry.session {
            // The session itself says whether it works when the message comes: it may know this one already.
            CronSession::Fixed => Ok(Some(last.id).filter(|_| !last.is_archived)),
            CronSession::New if last.works && self.entry.overlap == Overlap::Skip => {
                let text = "the session of the last time still works";
                Err(RpcError::new(ErrorCode::AgentTaskBusy, text))
            }
            CronSession::New => Ok(None),
        }
    }

    /// The session that is made for it, with the command by which it is made once.
    pub fn new_session(&self, project_id: ProjectId) -> (CommandId, CreateSessionParams) {
        let params = CreateSessionParams {
            project_id,
            title: Some(self.entry.name.to_string()),
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
            command_id: None,
        };
        (command_id(CRON, &self.external_id), params)
    }

    pub fn params(&self, session_id: SessionId) -> SendMessageParams {
        SendMessageParams {
            session_id,
            content: Content::from(self.entry.prompt.as_str()),
            attachments: Vec::new(),
            while_running: Some(match self.entry.overlap {
                Overlap::Skip => WhileRunning::Reject,
                Overlap::Queue => WhileRunning::FollowUp,
            }),
            parent_event_id: None,
            expected_leaf_id: None,
            model: None,
            runner: None,
            mode: None,
            channel: Some(ChannelSource {
                channel: CRON.to_owned(),
                external_id: self.external_id.clone(),
                metadata: None,
                mode: self.entry.mode,
            }),
            command_id: None,
        }
    }
}
