use scorel_engine::ModelRequest;
use scorel_proto::{Block, Message};

/// The parts of a request that the demo uses.
#[derive(Debug, Default)]
pub(super) struct DemoTurn {
    pub(super) question: String,
    /// The tool results since then, oldest first.
    pub(super) steps: Vec<DemoStep>,
    /// The number of calls in the whole conversation, which makes the ids of new ones unique.
    pub(super) earlier_calls: usize,
    /// The size of the request.
    pub(super) words: u64,
}

/// A call and its result.
#[derive(Debug)]
pub(super) struct DemoStep {
    pub(super) tool: String,
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl DemoTurn {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let mut turn = Self {
            words: count_words(&request.system),
            ..Self::default()
        };
        for message in &request.messages {
            turn.add(message);
        }
        turn
    }

    fn add(&mut self, message: &Message) {
        let content = match message {
            // The daemon's words, not the user's.
            Message::User(message) if text(&message.content).starts_with("<system-reminder>") => {
                &message.content
            }
            Message::User(message) => {
                self.question = text(&message.content);
                self.steps.clear();
                &message.content
            }
            Message::Assistant(message) => {
                self.earlier_calls += message.tool_uses().count();
                &message.content
            }
            Message::Internal(message) => &message.content,
            Message::ToolResult(message) => {
                let result = message.result();
                self.steps.push(DemoStep {
                    tool: message.tool_name.clone(),
                    text: text(&result.content),
                    is_error: result.is_error,
                });
                &result.content
            }
        };
        self.words += count_words(&text(content));
    }
}

fn text(content: &[Block]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        Block::Blob { preview, .. } => Some(preview.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn count_words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}
