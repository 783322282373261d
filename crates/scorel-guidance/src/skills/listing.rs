//! The list of skills that the model is given.

use scorel_proto::{
    Block, CustomMessageBody, InternalMessage, Message, Meta, SKILLS_KIND, SkillState,
    TokenEstimate,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FoundSkill;

/// Characters of a list, however large the window is.
const MAX_CHARS: usize = 16_000;

/// The share of the window that a list may take, in percent.
const MAX_PERCENT: u64 = 2;

/// What descriptions are shortened to, in characters, until the list fits.
const SHORTER: [usize; 4] = [usize::MAX, 240, 80, 0];

/// The data of the message: the skills that the model knows of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SkillIndex {
    skills: Vec<IndexEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct IndexEntry {
    name: String,
    description: String,
}

/// The message that tells the model of its skills: of all if it knows none, else of the changes.
/// `None` if there is nothing to tell.
pub fn listing(
    known: Option<&Value>,
    found: &[FoundSkill],
    window: u64,
) -> Option<CustomMessageBody> {
    let index = SkillIndex {
        skills: found.iter().filter_map(entry).collect(),
    };
    // Data of another version reads as none, and the whole list is told again.
    let known: Option<SkillIndex> = known.and_then(|data| SkillIndex::deserialize(data).ok());
    let text = match &known {
        None if index.skills.is_empty() => return None,
        None => {
            let entries: Vec<&IndexEntry> = index.skills.iter().collect();
            let head = "Load a skill with the tool Skill before you start a task that it covers. \
                        The skills:";
            list(head, &entries, window)
        }
        Some(known) => changes(known, &index, window)?,
    };
    Some(CustomMessageBody {
        kind: SKILLS_KIND.to_owned(),
        message: Message::Internal(InternalMessage {
            content: vec![Block::text(text)],
            meta: Meta::default(),
        }),
        data: serde_json::to_value(index).ok(),
        queue_item_id: None,
    })
}

fn entry(found: &FoundSkill) -> Option<IndexEntry> {
    let skill = found.skill.as_ref().ok()?;
    let is_listed = found.state == SkillState::Available && skill.for_model;
    is_listed.then(|| IndexEntry {
        name: skill.name.clone(),
        description: skill.description.clone(),
    })
}

fn changes(known: &SkillIndex, index: &SkillIndex, window: u64) -> Option<String> {
    let added: Vec<&IndexEntry> = index
        .skills
        .iter()
        .filter(|entry| !known.skills.contains(entry))
        .collect();
    let is_gone = |entry: &&IndexEntry| !index.skills.iter().any(|it| it.name == entry.name);
    let gone: Vec<&str> = known
        .skills
        .iter()
        .filter(is_gone)
        .map(|entry| entry.name.as_str())
        .collect();
    let mut texts = Vec::new();
    if !added.is_empty() {
        texts.push(list("Skills that are new or have changed:", &added, window));
    }
    if !gone.is_empty() {
        texts.push(format!(
            "Skills that you cannot load any more: {}",
            gone.join(", ")
        ));
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The list within its bounds: descriptions are shortened, then left out, then names are counted.
fn list(head: &str, entries: &[&IndexEntry], window: u64) -> String {
    let fits = |text: &str| {
        text.chars().count() <= MAX_CHARS
            && TokenEstimate::of_text(text).tokens() <= window * MAX_PERCENT / 100
    };
    for chars in SHORTER {
        let lines: Vec<String> = entries.iter().map(|entry| line(entry, chars)).collect();
        let text = format!("{head}\n\n{}", lines.join("\n"));
        if fits(&text) {
            return text;
        }
    }
    let counted = |shown: usize| {
        let lines: Vec<String> = entries[..shown].iter().map(|it| line(it, 0)).collect();
        let more = entries.len() - shown;
        format!("{head}\n\n{}\n(and {more} more)", lines.join("\n"))
    };
    let shown = (0..entries.len())
        .rev()
        .find(|shown| fits(&counted(*shown)));
    counted(shown.unwrap_or(0))
}

fn line(entry: &IndexEntry, chars: usize) -> String {
    let IndexEntry { name, description } = entry;
    if chars == 0 {
        return format!("- {name}");
    }
    match description.char_indices().nth(chars) {
        None => format!("- {name}: {description}"),
        Some((end, _)) => format!("- {name}: {}…", description[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(count: usize, description: &str) -> Vec<IndexEntry> {
        let entry = |number| IndexEntry {
            name: format!("skill-{number}"),
            description: description.to_owned(),
        };
        (0..count).map(entry).collect()
    }

    fn listed(entries: &[IndexEntry], window: u64) -> String {
        list("Skills:", &entries.iter().collect::<Vec<_>>(), window)
    }

    #[test]
    fn a_list_shortens_descriptions_then_names_and_counts_the_rest() {
        let entries = index(40, &"words ".repeat(60));
        let (roomy, window) = (10_000_000, 200_000);
        assert!(listed(&entries, roomy).contains("skill-39: words words"));
        assert!(listed(&entries, window).contains("words…"));
        assert!(listed(&entries, 64_000).ends_with('…'));
        assert!(listed(&entries, 8_000).ends_with("- skill-39"));
        let counted = listed(&entries, 4_000);
        assert!(counted.ends_with(" more)"), "{counted}");
        assert!(TokenEstimate::of_text(&counted).tokens() <= 80);
        let many = listed(&index(200, &"é".repeat(1_024)), roomy);
        assert!(many.chars().count() <= MAX_CHARS);
    }

    #[test]
    fn only_changes_are_told_again() {
        let before = SkillIndex {
            skills: index(3, "does this"),
        };
        let mut after = before.clone();
        assert_eq!(changes(&before, &after, 200_000), None);
        after.skills[1].description = "does that".to_owned();
        after.skills.remove(0);
        let text = changes(&before, &after, 200_000).unwrap();
        assert_eq!(
            text,
            "Skills that are new or have changed:\n\n- skill-1: does that\n\n\
             Skills that you cannot load any more: skill-0"
        );
    }
}
