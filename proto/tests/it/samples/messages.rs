use scorel_proto::{
    AssistantMessage, Attachment, AttachmentProblem, Block, Cost, CostSource, InternalMessage,
    Message, MessageSource, Meta, RequestProof, StopReason, TextPart, ToolResultBlock,
    ToolResultMessage, Usage, UserMessage,
};
use serde_json::json;

use super::ids;
use crate::golden::Golden;

pub(super) fn all() -> Vec<Golden> {
    let blocks = [
        ("text", Block::text("Grüße, 世界 👋\n\u{1}")),
        ("text.provider", text_with_provider_data()),
        ("text.part", part()),
        ("thinking", thinking()),
        ("thinking.redacted", redacted()),
        ("image", image()),
        ("tool_use", tool_use()),
        ("tool_use.invalid", invalid_tool_use()),
        ("tool_result", Block::ToolResult(tool_result())),
        (
            "tool_result.error",
            Block::ToolResult(ToolResultBlock::error("call_1", "no such file")),
        ),
        ("blob", blob()),
        ("attachment", Block::Attachment(attachment())),
        ("attachment.image", Block::Attachment(attached_image())),
    ];
    let messages = [
        ("user", Message::user("Hello")),
        ("user.steer", steer()),
        ("assistant", assistant()),
        ("assistant.partial", partial()),
        ("assistant.run", answer_in_a_run()),
        ("tool_result", tool_message()),
        ("internal", internal()),
    ];
    let blocks = blocks
        .iter()
        .map(|(name, block)| Golden::of(format!("block/{name}"), block));
    let messages = messages
        .iter()
        .map(|(name, message)| Golden::of(format!("message/{name}"), message));
    let problems = Golden::of("attachment/problems", &AttachmentProblem::ALL.to_vec());
    blocks.chain(messages).chain([problems]).collect()
}

fn text_with_provider_data() -> Block {
    Block::Text {
        text: "Hi".into(),
        part: None,
        template_ref: None,
        provider: Some(json!({"id": "msg_1"})),
    }
}

fn part() -> Block {
    Block::Text {
        text: "USER_INPUT\n- forNodeId: step-01\nThe second one".into(),
        part: Some(TextPart::UserInput),
        template_ref: Some("user-input".into()),
        provider: None,
    }
}

fn thinking() -> Block {
    Block::Thinking {
        text: "The user greets.".into(),
        signature: Some("c2ln".into()),
        redacted: false,
        provider: Some(json!({"field": "reasoning_content"})),
    }
}

fn redacted() -> Block {
    Block::Thinking {
        text: String::new(),
        signature: Some("b3BhcXVl".into()),
        redacted: true,
        provider: None,
    }
}

pub(super) fn image() -> Block {
    Block::Image {
        media_type: "image/png".into(),
        blob: ids::hash(),
    }
}

pub(super) fn tool_use() -> Block {
    Block::ToolUse {
        id: "call_1".into(),
        name: "Read".into(),
        input: json!({"path": "README.md", "limit": 10}),
        invalid_input: None,
        provider: None,
    }
}

fn invalid_tool_use() -> Block {
    Block::ToolUse {
        id: "call_2".into(),
        name: "Read".into(),
        input: json!({}),
        invalid_input: Some("{\"path\": ".into()),
        provider: Some(json!({"index": 0})),
    }
}

fn tool_result() -> ToolResultBlock {
    ToolResultBlock {
        tool_use_id: "call_1".into(),
        content: vec![Block::text("1\t# Scorel"), image()],
        is_error: false,
        details: Some(json!({"ok": true, "path": "@project/README.md", "truncated": false})),
    }
}

fn blob() -> Block {
    Block::Blob {
        sha256: ids::hash(),
        size: 1_000_000,
        media_type: "text/plain".into(),
        preview: "first lines".into(),
    }
}

fn attachment() -> Attachment {
    Attachment {
        path: "docs/notes.txt".into(),
        size: 5,
        encoding: Some("Latin-1".into()),
        content: vec![Block::text("café\n")],
    }
}

fn attached_image() -> Attachment {
    Attachment {
        path: "shot.png".into(),
        size: 24_000,
        encoding: None,
        content: vec![image()],
    }
}

pub(super) fn steer() -> Message {
    Message::User(UserMessage {
        content: vec![Block::text("Only the tests"), image()],
        meta: Meta {
            source: Some(MessageSource::Steer),
            ..Meta::default()
        },
    })
}

pub(super) fn assistant() -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![thinking(), Block::text("I will look."), tool_use()],
        model: "demo/demo".into(),
        stop_reason: StopReason::ToolUse,
        usage: Some(usage()),
        cost: Some(Cost {
            micro_usd: 1_234,
            source: CostSource::Reported,
        }),
        partial: false,
        meta: Meta {
            provider: Some(json!({"responseId": "resp_1"})),
            ..Meta::default()
        },
    })
}

pub(super) fn partial() -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Block::text("I wi")],
        model: "demo/demo".into(),
        stop_reason: StopReason::Interrupted,
        usage: None,
        cost: None,
        partial: true,
        meta: Meta::default(),
    })
}

fn answer_in_a_run() -> Message {
    let Message::Assistant(mut message) = partial() else {
        unreachable!("it is an answer");
    };
    message.meta.request = Some(Box::new(RequestProof {
        request_sha256: ids::hash().to_string(),
        tool_set_digest: ids::hash(),
    }));
    Message::Assistant(message)
}

pub(super) fn tool_message() -> Message {
    Message::ToolResult(ToolResultMessage::new("Read", tool_result(), 12))
}

pub(super) fn internal() -> Message {
    Message::Internal(InternalMessage {
        content: vec![Block::text("The todo list is empty.")],
        meta: Meta::default(),
    })
}

pub(super) fn usage() -> Usage {
    Usage {
        input_tokens: 1200,
        output_tokens: 80,
        cache_read_tokens: 1000,
        cache_write_tokens: 100,
        reasoning_tokens: 20,
    }
}
