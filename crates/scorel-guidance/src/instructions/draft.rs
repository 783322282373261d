//! A part of the prompt before the budget has cut it.

use scorel_proto::{InstructionPart, TokenEstimate};

use super::guide_file::hex_digest;

/// A part of the prompt before the budget has cut it.
#[derive(Debug, Clone)]
pub(super) struct PartDraft {
    part: InstructionPart,
    /// The lowest is cut first; `None` is never cut.
    priority: Option<u8>,
}

impl PartDraft {
    /// A part that the prompt cannot do without.
    pub(super) fn fixed(source: &str, text: String) -> Self {
        Self::new(source, text, None)
    }

    pub(super) fn cuttable(source: &str, text: String, priority: u8) -> Self {
        Self::new(source, text, Some(priority))
    }

    fn new(source: &str, text: String, priority: Option<u8>) -> Self {
        let part = InstructionPart {
            source: source.to_owned(),
            sha256: Some(hex_digest(text.as_bytes())),
            text,
            ..InstructionPart::default()
        };
        Self { part, priority }
    }

    /// The same part, which comes from a file that has this digest and was cut before.
    pub(super) fn read_from(mut self, path: String, sha256: Option<String>, cut: u64) -> Self {
        self.part.path = Some(path);
        self.part.sha256 = sha256.or(self.part.sha256);
        self.part.cut_bytes = (cut > 0).then_some(cut);
        self
    }

    fn cut(&mut self, excess: TokenEstimate) {
        // The note takes room too.
        let excess = excess + TokenEstimate::of_text(&self.note(u64::MAX));
        let text = &mut self.part.text;
        let mut end = text.len();
        let mut freed = TokenEstimate::ZERO;
        while freed < excess && end > 0 {
            // Whole lines, so that no rule loses the half that says "not".
            let before = text.as_bytes()[..end - 1].iter();
            let start = before.rev().position(|byte| *byte == b'\n');
            let start = start.map_or(0, |back| end - 1 - back);
            freed += TokenEstimate::of_text(&text[start..end]);
            end = start;
        }
        let cut = (text.len() - end) as u64;
        text.truncate(end);
        let before = self.part.cut_bytes.unwrap_or(0);
        let missing = before + cut;
        self.part.cut_bytes = Some(missing);
        let note = self.note(missing);
        self.part.text.push_str(&note);
    }

    fn note(&self, missing: u64) -> String {
        let place = match &self.part.path {
            Some(path) => format!("{path} has them"),
            None => "the prompt has a limit".to_owned(),
        };
        format!("[{missing} bytes were left out here; {place}]")
    }
}

/// The parts, cut until they are at most `max`: the lowest priority first, and of two with the same
/// one the first.
pub(super) fn within_budget(
    mut drafts: Vec<PartDraft>,
    max: TokenEstimate,
) -> Vec<InstructionPart> {
    let mut order: Vec<usize> = (0..drafts.len())
        .filter(|index| drafts[*index].priority.is_some())
        .collect();
    order.sort_by_key(|index| drafts[*index].priority);
    for index in order {
        let size = |draft: &PartDraft| TokenEstimate::of_text(&draft.part.text);
        let total: TokenEstimate = drafts.iter().map(size).sum();
        if total > max {
            drafts[index].cut(total - max);
        }
    }
    drafts.into_iter().map(|draft| draft.part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_priority_is_cut_first_and_says_so() {
        let line = "a line of twenty chars\n";
        let drafts = || {
            vec![
                PartDraft::fixed("base", line.repeat(100)),
                PartDraft::cuttable("agents", line.repeat(50), 70).read_from(
                    "/p/AGENTS.md".to_owned(),
                    None,
                    10,
                ),
                PartDraft::cuttable("agents", line.repeat(50), 70),
                PartDraft::cuttable("tools", line.repeat(50), 60),
            ]
        };
        let whole: TokenEstimate = drafts()
            .iter()
            .map(|draft| TokenEstimate::of_text(&draft.part.text))
            .sum();
        let cut = |max| {
            let parts = within_budget(drafts(), max);
            let cut: Vec<Option<u64>> = parts.iter().map(|part| part.cut_bytes).collect();
            (parts, cut)
        };
        assert_eq!(cut(whole).1, [None, Some(10), None, None]);
        let (parts, found) = cut(whole - TokenEstimate::of_tokens(100));
        assert!(found[3].is_some() && found[1] == Some(10), "{found:?}");
        assert!(parts[3].text.contains("bytes were left out here"));
        let (parts, found) = cut(whole - TokenEstimate::of_tokens(500));
        assert!(found[1] > Some(10) && found[2].is_none(), "{found:?}");
        assert!(parts[1].text.ends_with("; /p/AGENTS.md has them]"));
        let (parts, _) = cut(TokenEstimate::ZERO);
        assert_eq!(parts[0].text.len(), line.len() * 100, "never cut");
        assert!(parts[1..].iter().all(|part| part.text.starts_with('[')));
    }
}
