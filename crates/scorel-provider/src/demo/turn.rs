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
        let content = text(message.content());
        match message {
            // The daemon's words, not the user's.
            Message::User(_) if content.starts_with("<system-reminder>") => {}
            Message::User(_) => {
                self.question.clone_from(&content);
                self.steps.clear();
            }
            Message::Assistant(message) => self.earlier_calls += message.tool_uses().count(),
            Message::Internal(_) => {}
            Message::ToolResult(message) => self.steps.push(DemoStep {
                tool: message.tool_name.clone(),
                text: content.clone(),
                is_error: message.result().is_error,
            }),
        }
        self.words += count_words(&content);
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
