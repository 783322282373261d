//! What changed after a snapshot, as a message to the model.

use scorel_proto::{
    Block, CustomMessageBody, INSTRUCTIONS_KIND, InstructionPart, InternalMessage, Message, Meta,
};
use scorel_session::{Guidance, KnownGuidance};
use serde::{Deserialize, Serialize};
use similar::TextDiff;

/// Bytes of one change in the message.
const MAX_DIFF: usize = 4 * 1024;

/// The sources whose changes the model is told of. The others describe how the session began, or change
/// with the daemon only.
const FOLLOWED: [&str; 5] = [ENVIRONMENT, "permissions", "prompt", "role", "agents"];

/// The source of which only the changed lines are told.
const ENVIRONMENT: &str = "environment";

/// The data of the message: all parts that differ from the snapshot.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ChangedParts {
    parts: Vec<InstructionPart>,
}

/// Compares the current instructions with the snapshot. Returns a new snapshot, or a message about the
/// changes.
pub fn guidance(known: &KnownGuidance, current: Vec<InstructionPart>) -> Guidance {
    let snapshot = match &known.snapshot {
        Some(snapshot) if !known.refresh => snapshot,
        _ => {
            return Guidance {
                snapshot: Some(current),
                ..Guidance::default()
            };
        }
    };
    Guidance {
        messages: message(snapshot, known, &current).into_iter().collect(),
        ..Guidance::default()
    }
}

fn message(
    snapshot: &[InstructionPart],
    known: &KnownGuidance,
    current: &[InstructionPart],
) -> Option<CustomMessageBody> {
    // Data of another version reads as none, and the changes are told again.
    let changes = known.changes.clone();
    let changed: ChangedParts = changes
        .and_then(|data| serde_json::from_value(data).ok())
        .unwrap_or_default();
    let told = overlaid(snapshot, &changed.parts);
    let mut texts = Vec::new();
    for part in current.iter().filter(|part| is_followed(part)) {
        let before = told.iter().find(|it| is_same_source(it, part));
        match before {
            Some(before) if !is_changed(before, part) => {}
            Some(before) => texts.push(difference(&before.text, part)),
            None => texts.push(difference("", part)),
        }
    }
    let is_gone = |part: &&InstructionPart| {
        is_followed(part)
            && !part.text.is_empty()
            && !current.iter().any(|it| is_same_source(it, part))
    };
    let gone: Vec<InstructionPart> = told.iter().filter(is_gone).map(emptied).collect();
    for part in &gone {
        texts.push(format!("{} does not apply any more.", name(part)));
    }
    if texts.is_empty() {
        return None;
    }
    let differs = |part: &&InstructionPart| {
        let frozen = snapshot.iter().find(|it| is_same_source(it, part));
        is_followed(part) && frozen.is_none_or(|frozen| is_changed(frozen, part))
    };
    let mut parts: Vec<InstructionPart> = current.iter().filter(differs).cloned().collect();
    parts.extend(gone);
    Some(CustomMessageBody {
        kind: INSTRUCTIONS_KIND.to_owned(),
        message: Message::Internal(InternalMessage {
            content: vec![Block::text(format!(
                "Since the prompt was written this has changed; the rest of it still holds.\n\n{}",
                texts.join("\n\n")
            ))],
            meta: Meta::default(),
        }),
        data: serde_json::to_value(ChangedParts { parts }).ok(),
        queue_item_id: None,
    })
}

/// The snapshot with later changes over it.
fn overlaid(snapshot: &[InstructionPart], changed: &[InstructionPart]) -> Vec<InstructionPart> {
    let is_replaced = |part: &&InstructionPart| !changed.iter().any(|it| is_same_source(it, part));
    let kept = snapshot.iter().filter(is_replaced);
    kept.chain(changed).cloned().collect()
}

fn is_followed(part: &InstructionPart) -> bool {
    FOLLOWED.contains(&part.source.as_str())
}

fn is_same_source(one: &InstructionPart, other: &InstructionPart) -> bool {
    (&one.source, &one.path) == (&other.source, &other.path)
}

fn is_changed(before: &InstructionPart, now: &InstructionPart) -> bool {
    match (&before.sha256, &now.sha256) {
        (Some(before), Some(now)) => before != now,
        // A snapshot of an older version has no digests.
        _ => before.text != now.text,
    }
}

fn emptied(part: &InstructionPart) -> InstructionPart {
    InstructionPart {
        source: part.source.clone(),
        path: part.path.clone(),
        ..InstructionPart::default()
    }
}

fn name(part: &InstructionPart) -> String {
    match &part.path {
        Some(path) => path.clone(),
        None => format!("The part `{}` of the prompt", part.source),
    }
}

fn difference(before: &str, part: &InstructionPart) -> String {
    let name = name(part);
    if before.is_empty() {
        return format!("{name} is new:\n\n{}", bounded(&part.text));
    }
    if part.source == ENVIRONMENT {
        return changed_lines(before, &part.text);
    }
    let diff = TextDiff::from_lines(before, part.text.as_str());
    let text = diff.unified_diff().context_radius(2).to_string();
    if text.len() < part.text.len() {
        format!("{name}, as a diff:\n\n{}", bounded(&text))
    } else {
        format!("{name} is now:\n\n{}", bounded(&part.text))
    }
}

/// The lines that the text before does not have. Every line names what it says.
fn changed_lines(before: &str, now: &str) -> String {
    let is_new = |line: &&str| !before.lines().any(|known| known == *line);
    now.lines().filter(is_new).collect::<Vec<_>>().join("\n")
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_DIFF {
        return text.trim_end().to_owned();
    }
    let mut end = MAX_DIFF;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    let rest = text.len() - end;
    format!(
        "{}\n[{rest} more bytes of this change; read the file]",
        &text[..end]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(source: &str, path: Option<&str>, text: &str) -> InstructionPart {
        InstructionPart {
            source: source.to_owned(),
            text: text.to_owned(),
            path: path.map(str::to_owned),
            ..InstructionPart::default()
        }
    }

    fn agents(text: &str) -> InstructionPart {
        part("agents", Some("/p/AGENTS.md"), text)
    }

    fn text(guidance: &Guidance) -> String {
        let [message] = guidance.messages.as_slice() else {
            panic!("{guidance:?}")
        };
        match &message.message {
            Message::Internal(message) => match &message.content[0] {
                Block::Text { text, .. } => text.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    fn known(snapshot: &[InstructionPart], guidance: Option<&Guidance>) -> KnownGuidance {
        KnownGuidance {
            snapshot: Some(snapshot.to_vec()),
            changes: guidance.and_then(|it| it.messages.first()?.data.clone()),
            ..KnownGuidance::default()
        }
    }

    #[test]
    fn a_change_is_told_once_and_undoing_it_is_a_change() {
        let base = part("base", None, "be brief");
        let before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n".repeat(4);
        let frozen = [base.clone(), agents(&before)];
        assert_eq!(
            guidance(&known(&frozen, None), frozen.to_vec()),
            Guidance::default()
        );
        let changed = vec![base, agents(&before.replacen("two", "2", 1))];
        let told = guidance(&known(&frozen, None), changed.clone());
        assert!(text(&told).contains("/p/AGENTS.md, as a diff:"), "{told:?}");
        assert!(text(&told).contains("-two\n+2\n"), "{told:?}");
        let again = guidance(&known(&frozen, Some(&told)), changed);
        assert_eq!(again, Guidance::default());
        let undone = guidance(&known(&frozen, Some(&told)), frozen.to_vec());
        assert!(text(&undone).contains("-2\n+two\n"), "{undone:?}");
    }

    #[test]
    fn files_come_and_go() {
        let frozen = [agents("old")];
        let added = part("agents", Some("/p/.scorel/instructions.md"), "new rule");
        let told = guidance(&known(&frozen, None), vec![added.clone()]);
        assert!(text(&told).contains("/p/.scorel/instructions.md is new:\n\nnew rule"));
        assert!(text(&told).contains("/p/AGENTS.md does not apply any more."));
        let again = guidance(&known(&frozen, Some(&told)), vec![added.clone()]);
        assert_eq!(again, Guidance::default());
        let back = guidance(&known(&frozen, Some(&told)), vec![agents("old"), added]);
        assert!(
            text(&back).contains("/p/AGENTS.md is new:\n\nold"),
            "{back:?}"
        );
    }

    #[test]
    fn a_long_change_is_cut_and_other_sources_are_not_followed() {
        let frozen = [part("workspace", None, "a"), agents("x")];
        let long = agents(&"a line\n".repeat(1_000));
        let told = guidance(
            &known(&frozen, None),
            vec![part("workspace", None, "b"), long],
        );
        let text = text(&told);
        assert!(text.len() < MAX_DIFF + 300, "{}", text.len());
        assert!(text.contains("more bytes of this change"), "{text}");
        assert!(!text.contains("workspace"), "{text}");
    }

    #[test]
    fn another_date_is_one_line_and_another_mode_is_told_whole() {
        let environment = |date| {
            let text =
                format!("<environment>\nshell of commands: bash\ndate: {date}\n</environment>");
            part("environment", None, &text)
        };
        let mode = |mode| part("permissions", None, &format!("mode: {mode}\nfiles: none"));
        let frozen = [environment("2026-11-27"), mode("ask")];
        let told = guidance(
            &known(&frozen, None),
            vec![environment("2026-11-28"), mode("ask")],
        );
        let lead = "Since the prompt was written this has changed; the rest of it still holds.";
        assert_eq!(text(&told), format!("{lead}\n\ndate: 2026-11-28"));
        let now = vec![environment("2026-11-28"), mode("full")];
        let told = guidance(&known(&frozen, Some(&told)), now.clone());
        let name = "The part `permissions` of the prompt";
        assert_eq!(
            text(&told),
            format!("{lead}\n\n{name} is now:\n\nmode: full\nfiles: none")
        );
        let again = guidance(&known(&frozen, Some(&told)), now);
        assert_eq!(again, Guidance::default());
    }

    #[test]
    fn a_refresh_freezes_and_tells_nothing() {
        let mut known = known(&[agents("x")], None);
        known.refresh = true;
        let renewed = guidance(&known, vec![agents("y")]);
        assert_eq!(renewed.snapshot, Some(vec![agents("y")]));
        assert!(renewed.messages.is_empty());
    }
}
