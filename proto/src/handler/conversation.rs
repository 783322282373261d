//! The meaning of the events in the tree. Only messages and compactions reach the model.

use super::runner_message::runner_message_to_llm;
use super::{DisplayPart, DisplayStyle, LlmAction};
use crate::tags::{foreign, reminder};
use crate::{
    AssistantMessage, Block, CompactBody, CustomMessageBody, INSTRUCTIONS_KIND, InternalMessage,
    MCP_INSTRUCTIONS_KIND, Message, MessageChannel, MessageSource, SKILLS_KIND, SessionChanges,
    TOOLS_KIND, ToolResultMessage, UserMessage,
};

/// The daemon's own message stands where a turn goes on after an interruption. The request before it
/// may have been sent, so no message of that one changes.
pub(super) fn said(message: &Message) -> LlmAction {
    if let Some(runner) = message.runner() {
        return runner_message_to_llm(message, &runner.name);
    }
    match message {
        Message::Internal(note) => LlmAction::Include(reminding(note).1),
        message => message_to_llm(message),
    }
}

/// The subject of a message of the daemon or an extension.
pub(super) fn told(body: &CustomMessageBody) -> String {
    match body.kind.as_str() {
        INSTRUCTIONS_KIND => changed_instructions(&body.message),
        SKILLS_KIND => "the skills were listed".to_owned(),
        MCP_INSTRUCTIONS_KIND => "MCP servers have instructions".to_owned(),
        TOOLS_KIND => "tools from outside were listed".to_owned(),
        kind => format!("message from {kind}"),
    }
}

/// Says which instructions have changed: the beginning of what the model is told, below its introduction.
fn changed_instructions(message: &Message) -> String {
    let text = match message {
        Message::Internal(message) => Block::plain_text_of(&message.content),
        _ => String::new(),
    };
    let changes = text.split_once("\n\n").map_or("", |(_, changes)| changes);
    match changes.lines().next() {
        Some(first) => format!(
            "the instructions have changed: {}",
            first.trim_end_matches(':')
        ),
        None => "the instructions have changed".to_owned(),
    }
}

pub(super) fn summarised(body: &CompactBody) -> LlmAction {
    LlmAction::Barrier {
        summary: Message::user(body.text()),
        through: body.compacted_through,
        keep: body.keep.clone(),
    }
}

pub(super) fn changed(changes: &SessionChanges) -> Vec<DisplayPart> {
    let title = changes.title.as_ref();
    let model = changes.model.as_ref();
    let runner = changes.runner.as_ref();
    let level = changes.thinking_level.as_ref();
    let tools = changes.tools.as_ref();
    let refresh = changes.refresh_instructions.filter(|refresh| *refresh);
    let notes = [
        title.map(|title| format!("title is now {title:?}")),
        model.map(|model| format!("model is now {model}")),
        runner.map(|runner| format!("runner is now {runner}")),
        level.map(|level| format!("thinking level is now {level:?}")),
        tools.map(|tools| format!("the tools are now {tools}")),
        refresh.map(|_| "the next turn takes a new snapshot of the instructions".to_owned()),
        changes
            .archived
            .map(|archived| if archived { "archived" } else { "unarchived" }.to_owned()),
    ];
    notes
        .into_iter()
        .flatten()
        .flat_map(DisplayPart::note)
        .collect()
}

pub(super) fn message_to_llm(message: &Message) -> LlmAction {
    match message {
        Message::User(user) if user.meta.source == Some(MessageSource::Steer) => {
            LlmAction::MergePrev {
                reminder: reminder_text(&user.content),
                beside: beside(&user.content),
                otherwise: match user.meta.runtime_id {
                    Some(_) => Message::User(of_agent(user)),
                    None => message.clone(),
                },
            }
        }
        // The result of an agent's task: another model's words.
        Message::User(user) if user.meta.runtime_id.is_some() => {
            LlmAction::Include(Message::User(of_agent(user)))
        }
        Message::User(user) => match &user.meta.channel {
            Some(channel) => LlmAction::Include(Message::User(through(channel, user))),
            None => LlmAction::Include(message.clone()),
        },
        Message::Assistant(assistant) => assistant_to_llm(assistant),
        Message::ToolResult(result) => {
            LlmAction::Include(Message::ToolResult(result_to_llm(result)))
        }
        Message::Internal(internal) => {
            let (reminder, otherwise) = reminding(internal);
            LlmAction::MergePrev {
                reminder,
                beside: Vec::new(),
                otherwise,
            }
        }
    }
}

/// The text of a reminder. Attached files name themselves.
fn reminder_text(content: &[Block]) -> String {
    let mut content = content.to_vec();
    content.retain(|block| !matches!(block, Block::Attachment(_)));
    Block::plain_text_of(&content)
}

/// The blocks that the text of a reminder cannot hold.
fn beside(content: &[Block]) -> Vec<Block> {
    let is_beside = |block: &&Block| matches!(block, Block::Image { .. } | Block::Attachment(_));
    content.iter().filter(is_beside).cloned().collect()
}

/// The text of which a message of the daemon reminds, and the message that does.
fn reminding(message: &InternalMessage) -> (String, Message) {
    let told = Block::plain_text_of(&message.content);
    let otherwise = Message::user(reminder(&told));
    (told, otherwise)
}

/// Drops the reasoning of a partial message: no provider takes back reasoning that was cut off. A
/// complete message without content is kept if it has provider data, such as calls of the
/// provider's own tools.
fn assistant_to_llm(message: &AssistantMessage) -> LlmAction {
    let mut message = message.clone();
    if message.partial {
        message
            .content
            .retain(|block| !matches!(block, Block::Thinking { .. }));
    }
    let wanted_back = !message.partial && message.meta.provider.is_some();
    if message.content.is_empty() && !wanted_back {
        return LlmAction::Skip;
    }
    LlmAction::Include(Message::Assistant(message))
}

/// A message that no person has typed: the words of whoever writes there, behind the program's own about where they come
/// from.
fn through(channel: &MessageChannel, message: &UserMessage) -> UserMessage {
    let source = format!(
        "This message came through the channel {}. The user has not typed it.",
        channel.label()
    );
    let mut content = vec![Block::text(reminder(&source))];
    content.extend(foreign(&message.content));
    UserMessage {
        content,
        meta: message.meta.clone(),
    }
}

fn of_agent(message: &UserMessage) -> UserMessage {
    UserMessage {
        content: foreign(&message.content),
        meta: message.meta.clone(),
    }
}

/// Drops `details`, which are for user interfaces. What a tool found is not the program's word, but the
/// instructions that came with it are.
fn result_to_llm(message: &ToolResultMessage) -> ToolResultMessage {
    let mut result = message.result().clone();
    result.details = None;
    result.content = foreign(&result.content);
    for block in &mut result.content {
        if let Block::Attachment(file) = block {
            *block = Block::text(file.as_instructions());
        }
    }
    let mut copy = ToolResultMessage::new(&message.tool_name, result, message.duration_ms);
    copy.meta = message.meta.clone();
    copy
}

pub(super) fn message_to_display(message: &Message) -> Vec<DisplayPart> {
    match message {
        Message::User(UserMessage { content, meta }) => {
            let channel = meta.channel.as_ref();
            let source = channel.map(|it| {
                format!(
                    "through the channel {}, which allows {}",
                    it.label(),
                    it.mode
                )
            });
            let mut parts = source.map_or_else(Vec::new, DisplayPart::note);
            parts.push(DisplayPart::new(
                DisplayStyle::User,
                Block::shown_text_of(content),
            ));
            parts
        }
        Message::Assistant(assistant) => assistant_to_display(assistant),
        Message::ToolResult(message) => {
            let result = message.result();
            let style = if result.is_error {
                DisplayStyle::Error
            } else {
                DisplayStyle::ToolResult
            };
            DisplayPart::only(style, Block::plain_text_of(&result.content))
        }
        Message::Internal(message) => DisplayPart::note(Block::plain_text_of(&message.content)),
    }
}

fn assistant_to_display(message: &AssistantMessage) -> Vec<DisplayPart> {
    let mut parts: Vec<DisplayPart> = message
        .content
        .iter()
        .filter_map(assistant_block_to_display)
        .collect();
    if message.partial {
        parts.extend(DisplayPart::note("the answer was cut off"));
    }
    parts
}

fn assistant_block_to_display(block: &Block) -> Option<DisplayPart> {
    let (style, text) = match block {
        Block::Thinking { text, .. } if text.is_empty() => return None,
        Block::Thinking { text, .. } => (DisplayStyle::Thinking, text.clone()),
        Block::ToolUse { name, input, .. } => (DisplayStyle::ToolCall, format!("{name} {input}")),
        other => (DisplayStyle::Assistant, other.plain_text()),
    };
    Some(DisplayPart::new(style, text))
}

#[cfg(test)]
mod tests {
    use super::{LlmAction, assistant_to_llm};
    use crate::{AssistantMessage, Meta, StopReason};

    #[test]
    fn an_answer_without_content_is_skipped_unless_its_provider_wants_something_back() {
        let answer = |kept: bool, partial| AssistantMessage {
            content: Vec::new(),
            model: "m".to_owned(),
            stop_reason: StopReason::Pause,
            usage: None,
            cost: None,
            partial,
            meta: Meta {
                provider: kept.then(|| serde_json::json!({"blocks": []})),
                ..Meta::default()
            },
        };
        for (kept, partial, included) in [
            (true, false, true),
            (true, true, false),
            (false, false, false),
        ] {
            let action = assistant_to_llm(&answer(kept, partial));
            let found = matches!(action, LlmAction::Include(_));
            assert_eq!(found, included, "kept {kept}, partial {partial}");
        }
    }
}
