use sha2::{Digest as _, Sha256};

/// The longest name of a tool, in characters.
const MAX: usize = 64;

/// Characters of the digest that makes a changed name unique.
const DIGEST: usize = 6;

/// The name by which the model calls a tool from outside, such as `ext__<id>__<tool>`. `is_taken` tells names that
/// another tool has; such a one, and one that had to be changed, ends with a digest of the original.
pub fn tool_name(kind: &str, of: &str, tool: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let original = format!("{kind}__{of}__{tool}");
    let name = with_usual_letters(&original);
    if name == original && name.len() <= MAX && !is_taken(&name) {
        return name;
    }
    let distinct = distinguished(&name, &original);
    match is_taken(&distinct) {
        false => distinct,
        // Two sources may make one original: `a` with `b__c`, and `a__b` with `c`.
        true => distinguished(&name, &format!("{kind}\n{of}\n{tool}")),
    }
}

/// The names by which a person may know the tool that has this one: as its program calls it, and with the letters that
/// models take.
pub(crate) fn other_names(kind: &str, of: &str, tool: &str, name: &str) -> Vec<String> {
    let original = format!("{kind}__{of}__{tool}");
    let mut names = vec![with_usual_letters(&original), original];
    names.dedup();
    names.retain(|it| it != name);
    names
}

fn with_usual_letters(original: &str) -> String {
    let usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let letters = original.chars();
    letters
        .map(|char| if usual(char) { char } else { '_' })
        .collect()
}

fn distinguished(name: &str, by: &str) -> String {
    let digest = Sha256::digest(by.as_bytes());
    let kept = name.len().min(MAX - DIGEST - 1);
    format!("{}_{digest:.DIGEST$x}", &name[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_every_model_takes_and_no_other_tool_has() {
        let free = |_: &str| false;
        assert_eq!(tool_name("ext", "notes", "add", free), "ext__notes__add");
        let taken = tool_name("ext", "notes", "add", |name| name == "ext__notes__add");
        assert!(taken.starts_with("ext__notes__add_"), "{taken}");
        assert_ne!(
            tool_name("ext", "notes", "a b", free),
            tool_name("ext", "notes", "a.b", free)
        );
        let first = tool_name("mcp", "a", "b__c", free);
        let second = tool_name("mcp", "a__b", "c", |name| name == first);
        let third = |name: &str| name == first || name == second;
        assert_ne!(tool_name("mcp", "a__b__c", "", third), second);
        assert_ne!(tool_name("mcp", "a", "b__c", third), second);
        let long = tool_name("ext", "notes", &"x".repeat(100), free);
        assert_eq!(long.len(), MAX);
    }

    #[test]
    fn a_renamed_tool_keeps_its_other_names_for_rules() {
        let free = |_: &str| false;
        let name = tool_name("mcp", "db", "drop.all", free);
        let others = other_names("mcp", "db", "drop.all", &name);
        assert_eq!(others, ["mcp__db__drop_all", "mcp__db__drop.all"]);
        assert!(other_names("mcp", "db", "drop", "mcp__db__drop").is_empty());
    }
}
