use scorel_frontmatter::{Document, EditError};
use serde_json::{Value, json};

/// The directory of steps in a skill.
const DIR: &str = "steps/";

/// A step of a skill, as a node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkillStep {
    /// The name of its file without the ending, which becomes the node's id.
    pub(super) id: String,
    pub(super) file: String,
    pub(super) title: String,
    /// True if it shows a menu, at which a person chooses.
    pub(super) has_menu: bool,
}

impl SkillStep {
    /// The step in a file, if its path is `steps/step-NN-NAME.md`.
    pub(super) fn of(path: &str, text: &str) -> Option<Self> {
        let id = path.strip_prefix(DIR)?.strip_suffix(".md")?;
        let (number, name) = id.strip_prefix("step-")?.split_once('-')?;
        let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        if !is_number || name.is_empty() || name.contains('/') {
            return None;
        }
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        Some(Self {
            id: id.to_owned(),
            file: path.to_owned(),
            title: heading.unwrap_or(id).trim().to_owned(),
            has_menu: text.lines().any(offers_choice),
        })
    }

    /// The number in its name.
    pub(super) fn number(&self) -> u64 {
        let number = self.id.split('-').nth(1);
        number.and_then(|it| it.parse().ok()).unwrap_or(u64::MAX)
    }

    /// The text of the step behind a head that has it lead to the next one. The text itself stays as it is.
    pub(super) fn headed(&self, text: &str, agent: &str, next: &str) -> Result<String, EditError> {
        let mut fields: Vec<(&str, Value)> = vec![
            ("schemaVersion", json!("1.1")),
            ("nodeId", json!(self.id)),
            ("type", json!("step")),
            ("title", json!(self.title)),
            ("agentId", json!(agent)),
            ("transitions", json!([{ "to": next, "label": "next" }])),
        ];
        if self.has_menu {
            fields.push(("input", json!("user")));
        }
        headed(text, fields)
    }
}

/// A text behind a head with these fields.
pub(super) fn headed(text: &str, fields: Vec<(&str, Value)>) -> Result<String, EditError> {
    let mut document = Document::parse(format!("---\n---\n{text}"))?;
    for (key, value) in fields {
        document = document.set(key, &value)?;
    }
    Ok(document.text().to_owned())
}

/// True for a line with an option such as `[C] Continue`. The box of a finished task is not one.
fn offers_choice(line: &str) -> bool {
    let is_task = ["- [X] ", "* [X] "]
        .iter()
        .any(|it| line.trim_start().starts_with(it));
    let mut rest = line;
    while let Some((_, after)) = rest.split_once('[').filter(|_| !is_task) {
        rest = after;
        let Some((key, words)) = after.split_once(']') else {
            break;
        };
        let is_key = matches!(key.len(), 1 | 2) && key.bytes().all(|it| it.is_ascii_uppercase());
        let has_words = words
            .strip_prefix(' ')
            .is_some_and(|it| it.starts_with(char::is_alphabetic));
        if is_key && has_words {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_files_with_a_number_and_a_name() {
        let step = SkillStep::of(
            "steps/step-02-design.md",
            "intro\n# Step 2: Design\n## More\n",
        )
        .unwrap();
        assert_eq!(
            (step.id.as_str(), step.title.as_str()),
            ("step-02-design", "Step 2: Design")
        );
        for path in [
            "step-02-design.md",
            "steps/step-02.md",
            "steps/step-2b-design.md",
            "steps/step--design.md",
            "steps/step-02-design.txt",
            "steps/more/step-02-design.md",
            "steps/step-02-a/b.md",
            "old/steps/step-02-design.md",
        ] {
            assert_eq!(SkillStep::of(path, ""), None, "{path}");
        }
    }

    #[test]
    fn a_menu_is_a_line_with_a_choice() {
        for (line, expected) in [
            ("**Select:** [A] Advanced [C] Continue", true),
            ("Confirm to [C] continue:", true),
            ("- [C] Continue", true),
            ("- [X] done", false),
            ("- [ ] open", false),
            ("[C](continue.md)", false),
            ("only when [C continue option] is chosen", false),
            ("[FR] requirement", true),
            ("[N]", false),
            ("[unclosed", false),
        ] {
            assert_eq!(offers_choice(line), expected, "{line}");
        }
    }

    #[test]
    fn a_text_stays_behind_its_new_head() {
        let step = SkillStep::of("steps/step-1-a.md", "# A: \"b\"\n[C] Go\n").unwrap();
        let text = "---\nname: x\n---\n# A\r\n";
        let headed = step.headed(text, "skill", "end-99").unwrap();
        let document = Document::parse(headed).unwrap();
        assert_eq!(document.body(), text);
        assert_eq!(document.values()["title"], "A: \"b\"");
        assert_eq!(
            document.values()["transitions"],
            json!([{"to": "end-99", "label": "next"}])
        );
        assert_eq!(document.values()["input"], "user");
    }
}
