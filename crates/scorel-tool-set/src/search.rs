//! The search in descriptions of tools.

use std::cmp::Reverse;

use crate::set_tool::SetTool;

/// The tools that fit a query, best first. Words count where they stand: in the name of the tool more than in its
/// description.
pub(crate) fn found<'a>(tools: impl Iterator<Item = &'a SetTool>, query: &str) -> Vec<&'a SetTool> {
    let words = words(query);
    let mut scored: Vec<(u32, &SetTool)> = tools
        .map(|tool| (score(tool, query.trim(), &words), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    // Stable: equal ones stay in the order of their names.
    scored.sort_by_key(|(score, _)| Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

fn score(tool: &SetTool, query: &str, words: &[String]) -> u32 {
    let listed = tool.told.listed();
    if tool.told.name() == query || listed.name == query {
        return u32::MAX;
    }
    let name = self::words(tool.told.name());
    let description = self::words(&listed.description);
    let of_word = |word: &String| {
        let begins = |known: &String| known.starts_with(word.as_str());
        match () {
            () if name.contains(word) => 12,
            () if name.iter().any(begins) => 8,
            () if description.contains(word) => 3,
            () if description.iter().any(begins) => 1,
            () => 0,
        }
    };
    words.iter().map(of_word).sum()
}

/// The words of a text in small letters. `listIssues` and `list_issues` are two words each.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut was_small = false;
    for char in text.chars() {
        let begins = char.is_uppercase() && was_small;
        if begins || !char.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        was_small = char.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}
