//! A title for a session, after its first completed turn.
//!
//! In the background and tried once: a session without a title is none the worse, and its next turn must
//! not wait.

use std::sync::Arc;

use scorel_proto::{
    AuxiliaryUsageBody, Block, Context, Message, PersistentBody, SessionChanges, SessionInfoBody,
    SessionKind, TitleSource,
};

use super::task::TurnTask;
use crate::lane::{EventDraft, Lane};
use crate::{SessionError, TitleRequest};

/// Characters of the conversation in the request.
const MAX_CHARS: usize = 2_500;

/// Characters of them that the user's message may take.
const MAX_USER_CHARS: usize = 1_500;

impl TurnTask {
    /// What to make a title from, if this turn is the first to complete in a session without one.
    pub(super) async fn title_request(&self) -> Option<TitleRequest> {
        let lane = &self.lane;
        let is_first = lane.view(|view| {
            let fold = &view.state;
            fold.title.is_none() && !fold.has_completed
        });
        if !is_first || lane.header().kind != SessionKind::User {
            return None;
        }
        Some(TitleRequest {
            session_id: lane.id(),
            project_id: lane.header().project_id,
            // A conversation that cannot be read is reported by the next turn.
            conversation: conversation(&lane.context().await.ok()?),
        })
    }

    /// Has a title made, unless the turn was cancelled. The daemon does not wait for it when it stops.
    pub(super) fn make_title(&self, request: Option<TitleRequest>) {
        let Some(request) = request.filter(|_| !self.is_cancelled()) else {
            return;
        };
        let lane = Arc::clone(&self.lane);
        tokio::spawn(async move {
            if let Err(error) = title(&lane, request).await {
                tracing::info!(session = %lane.id(), %error, "no title");
            }
        });
    }
}

async fn title(lane: &Arc<Lane>, request: TitleRequest) -> Result<(), SessionError> {
    let Some(answer) = lane.setup().title(request).await else {
        return Ok(());
    };
    lane.section(move |section| {
        section.published().check_exists()?;
        if let Some(usage) = answer.usage {
            let body = PersistentBody::AuxiliaryUsage(AuxiliaryUsageBody {
                purpose: AuxiliaryUsageBody::TITLE.to_owned(),
                model: answer.model,
                usage,
                cost: answer.cost,
            });
            // Without a turn: by now another one may be open.
            section.commit_and_announce(EventDraft::new(body))?;
        }
        let Some(title) = answer.title else {
            return Ok(());
        };
        // A client may have set one meanwhile.
        if section.view().state.title.is_some() || section.lane().is_draining() {
            return Ok(());
        }
        let changes = SessionChanges {
            title: Some(title),
            title_source: Some(TitleSource::Generated),
            ..SessionChanges::default()
        };
        let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
        section.commit_and_announce(EventDraft::new(body)).map(drop)
    })
    .await?
}

/// The first message of the user and the last answer, as the request quotes them.
fn conversation(context: &Context) -> String {
    let user = context.iter().find_map(|message| match message {
        Message::User(message) => Some(text(&message.content)),
        _ => None,
    });
    let mut answers = context.iter().filter_map(|message| match message {
        Message::Assistant(message) => Some(text(&message.content)),
        _ => None,
    });
    let user = shortened(&user.unwrap_or_default(), MAX_USER_CHARS);
    let head = format!("<user>\n{user}\n</user>\n<assistant>\n");
    let tail = "\n</assistant>";
    let left = MAX_CHARS.saturating_sub(head.chars().count() + tail.len());
    let answer = shortened(&answers.next_back().unwrap_or_default(), left);
    format!("{head}{answer}{tail}")
}

fn text(content: &[Block]) -> String {
    let texts: Vec<String> = content
        .iter()
        .filter_map(|block| match block {
            Block::Text { .. } if !block.is_folded() => Some(block.shown_text()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

fn shortened(text: &str, chars: usize) -> String {
    text.trim().chars().take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_quotes_the_first_message_within_its_bounds() {
        let context: Context =
            vec![Message::user("é".repeat(9_000)), Message::user("later")].into();
        let quoted = conversation(&context);
        assert!(quoted.starts_with("<user>\néé") && !quoted.contains("later"));
        assert!(quoted.chars().count() <= MAX_CHARS);
        assert_eq!(quoted.matches('é').count(), MAX_USER_CHARS);
    }
}
