//! The texts of a run, as blocks of messages.

use scorel_proto::{
    Block, CustomMessageBody, FoldedRun, Message, Meta, NODE_BRIEF_KIND, RunIntent, RunMode,
    TextPart, UserMessage,
};
use scorel_workflow::{Agent, brief, directive, persona, user_input};

use crate::open_run::OpenRun;

/// The beginning of the name of a persona's template.
const PERSONA: &str = "persona:";

/// The message that begins a turn, by what a person, or the daemon, has put into it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpeningWords {
    /// Why the daemon has the turn begin; `None` if someone else does.
    pub(crate) intent: Option<RunIntent>,
    said: Vec<Block>,
    is_typed: bool,
}

impl OpeningWords {
    pub(crate) fn new(mut content: Vec<Block>, is_typed: bool) -> Self {
        let intent = match content.first() {
            Some(Block::Text {
                part: Some(TextPart::RunDirective),
                text,
                ..
            }) => text.parse().ok(),
            _ => None,
        };
        if intent.is_some() {
            content.remove(0);
        }
        Self {
            intent,
            said: content,
            is_typed,
        }
    }

    /// The message in a mode, as the model is to read it.
    pub(crate) fn told(
        self,
        run: &OpenRun,
        known: &FoldedRun,
        mode: RunMode,
        tools: &[String],
    ) -> Vec<Block> {
        let mut blocks = Vec::new();
        if mode == RunMode::Run {
            let intent = self.intent.unwrap_or(RunIntent::Continue);
            let text = directive(&run.current(), intent_of(intent));
            blocks.extend(text.map(|text| Block::part(TextPart::RunDirective, text)));
            blocks.extend(node_brief(run, tools));
        }
        if mode != RunMode::Chat {
            blocks.extend(new_persona(run, known));
        }
        let node = (mode == RunMode::Run).then(|| run.node_id());
        blocks.extend(self.words(node));
        blocks
    }

    /// The words alone, without anything of the run: its document cannot be read.
    pub(crate) fn plain(self) -> Vec<Block> {
        match (self.said.is_empty(), self.intent) {
            (true, Some(intent)) => vec![Block::part(TextPart::RunDirective, intent.name())],
            _ => self.words(None),
        }
    }

    /// The words of a person, marked as such; those of programs stay as they are.
    fn words(self, node: Option<&str>) -> Vec<Block> {
        if !self.is_typed && self.intent.is_none() {
            return self.said;
        }
        let is_text = |block: &Block| matches!(block, Block::Text { .. });
        let texts = self.said.iter().filter(|it| is_text(it));
        let texts: Vec<String> = texts.map(Block::plain_text).collect();
        let others = self.said.into_iter().filter(|it| !is_text(it));
        let input = (!texts.is_empty()).then(|| user_input(&texts.join("\n"), node));
        let input = input.map(|text| Block::part(TextPart::UserInput, text));
        input.into_iter().chain(others).collect()
    }
}

/// The message that tells of the current node within a turn; `None` if nothing is left to do.
pub(crate) fn node_brief_message(
    run: &OpenRun,
    known: &FoldedRun,
    tools: &[String],
) -> Option<CustomMessageBody> {
    let mut content: Vec<Block> = node_brief(run, tools).into_iter().collect();
    content.extend(new_persona(run, known));
    (!content.is_empty()).then(|| CustomMessageBody {
        kind: NODE_BRIEF_KIND.to_owned(),
        message: Message::User(UserMessage {
            content,
            meta: Meta::default(),
        }),
        data: None,
        queue_item_id: None,
    })
}

fn node_brief(run: &OpenRun, tools: &[String]) -> Option<Block> {
    if run.current().has_ended() {
        return None;
    }
    let text = brief(&run.current(), tools)?;
    Some(Block::part(TextPart::NodeBrief, text))
}

/// The persona of the current node's agent, unless the model has been told of that one last.
fn new_persona(run: &OpenRun, known: &FoldedRun) -> Option<Block> {
    let current = run.current();
    let (node, _) = current.node()?;
    let agent: &Agent = current.agent(node)?;
    let is_told = known.told_agent.as_deref() == Some(agent.id.as_str());
    (!is_told).then(|| Block::Text {
        text: persona(agent),
        part: None,
        template_ref: Some(format!("{PERSONA}{}", agent.id)),
        provider: None,
    })
}

const fn intent_of(intent: RunIntent) -> scorel_workflow::RunIntent {
    match intent {
        RunIntent::Start => scorel_workflow::RunIntent::Start,
        RunIntent::Continue => scorel_workflow::RunIntent::Continue,
        RunIntent::Resume => scorel_workflow::RunIntent::Resume,
    }
}
