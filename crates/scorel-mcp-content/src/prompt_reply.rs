//! The answer to `prompts/get`.

use scorel_engine::BlobSink;
use scorel_mcp_client::{Content, add_content};
use scorel_outside_tool::ResultContent;
use scorel_proto::Block;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptReply {
    result_type: Option<String>,
    #[serde(default)]
    messages: Vec<PromptMessage>,
}

#[derive(Deserialize)]
struct PromptMessage {
    role: String,
    content: Content,
}

/// Words that a server gives to the user are the user's; those that it gives to the model are marked.
pub(crate) fn message(reply: &RawValue, blobs: &dyn BlobSink) -> Result<Vec<Block>, String> {
    let reply: PromptReply = serde_json::from_str(reply.get())
        .map_err(|error| format!("its answer is not a prompt: {error}"))?;
    if let Some(other) = reply.result_type.filter(|it| it != "complete") {
        return Err(format!("its answer is of the kind {other:?}"));
    }
    let mut content = ResultContent::new(blobs);
    for PromptMessage {
        role,
        content: part,
    } in reply.messages
    {
        let part = match part {
            Content::Text { text } if role == "assistant" => Content::Text {
                text: format!("[an example of your answer]\n{text}"),
            },
            part => part,
        };
        add_content(part, &mut content).map_err(|error| error.to_string())?;
    }
    match content.is_empty() {
        true => Err("its prompt has no messages".to_owned()),
        false => Ok(content.into_blocks()),
    }
}
