use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parts of a message that begins or continues a turn of a workflow run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TextPart {
    /// Where the run stands, by its document.
    RunDirective,
    /// The node that the model works at, and where it can go from there.
    NodeBrief,
    /// The words of a person.
    UserInput,
}

/// The line of a directive or a brief that names the node.
const NODE: &str = "- currentNodeId: ";

/// The line of a person's words that names the node that they are for.
const FOR_NODE: &str = "- forNodeId: ";

impl TextPart {
    /// The value on the wire, which is also the first line of the text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RunDirective => "RUN_DIRECTIVE",
            Self::NodeBrief => "NODE_BRIEF",
            Self::UserInput => "USER_INPUT",
        }
    }

    /// The text of such a part as people read it: a person's words without what stands before them, of the others
    /// one line.
    pub(super) fn shown(self, text: &str) -> String {
        match self {
            Self::RunDirective | Self::NodeBrief => {
                let node = text.lines().find_map(|line| line.strip_prefix(NODE));
                folded(self.name(), node.unwrap_or_default())
            }
            Self::UserInput => words(text).to_owned(),
        }
    }
}

/// The first two lines of a text in one, for texts of a run that are no part with a name.
pub(super) fn first_lines(text: &str) -> String {
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let about = lines.next().unwrap_or_default();
    folded(name, about.trim_start_matches("- "))
}

fn folded(name: &str, about: &str) -> String {
    match about {
        "" => format!("[{name}]"),
        about => format!("[{name} {about}]"),
    }
}

fn words(text: &str) -> &str {
    let after_head = text.strip_prefix(TextPart::UserInput.name());
    let Some(words) = after_head.and_then(|rest| rest.strip_prefix('\n')) else {
        return text;
    };
    match words.split_once('\n') {
        Some((first, rest)) if first.starts_with(FOR_NODE) => rest,
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::TextPart;
    use crate::Block;

    #[test]
    fn one_line_is_shown_of_the_texts_of_a_run() {
        let directive = "RUN_DIRECTIVE\n- intent: start\n- currentNodeId: one\n- autopilot: true";
        let brief = "NODE_BRIEF\n- currentNodeId: one\n- allowedNext:\n  - two (label=next)";
        let persona = Block::Text {
            text: "AGENT_PERSONA\n- agentId: analyst\nYou look for stories.".to_owned(),
            part: None,
            template_ref: Some("persona:analyst".to_owned()),
            provider: None,
        };
        let content = [
            Block::part(TextPart::RunDirective, directive),
            Block::part(TextPart::NodeBrief, brief),
            persona,
            Block::part(
                TextPart::UserInput,
                "USER_INPUT\n- forNodeId: one\nthe first\nstory",
            ),
            Block::text("attached"),
        ];
        let shown = "[RUN_DIRECTIVE one]\n[NODE_BRIEF one]\n[AGENT_PERSONA agentId: analyst]\nthe first\n\
                     story\nattached";
        assert_eq!(Block::shown_text_of(&content), shown);
        let typed = [Block::text("the first\nstory"), Block::text("attached")];
        assert_eq!(Block::typed(content.to_vec()), typed);
    }

    #[test]
    fn words_that_look_like_a_part_are_shown() {
        let shown = |text: &str| Block::part(TextPart::UserInput, text).shown_text();
        assert_eq!(
            shown("USER_INPUT\nRUN_DIRECTIVE\n- intent: start"),
            "RUN_DIRECTIVE\n- intent: start"
        );
        assert_eq!(
            shown("USER_INPUT\n- forNodeId: a\nUSER_INPUT\nb"),
            "USER_INPUT\nb"
        );
        assert_eq!(shown("USER_INPUT\n"), "");
        assert_eq!(shown("no head"), "no head");
        let brief = Block::part(TextPart::NodeBrief, "NODE_BRIEF");
        assert_eq!(brief.shown_text(), "[NODE_BRIEF]");
    }
}
