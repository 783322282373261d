use sha2::{Digest as _, Sha256};

/// The longest name of a tool, in characters.
const MAX: usize = 64;

/// Characters of the digest that makes a changed name unique.
const DIGEST: usize = 6;

/// The name by which the model calls a tool from outside, such as `ext__<id>__<tool>`. `is_taken` tells names that
/// another tool has; such a one, and one that had to be changed, ends with a digest of the original.
pub fn tool_name(kind: &str, of: &str, tool: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let original = format!("{kind}__{of}__{tool}");
    let usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let name: String = original
        .chars()
        .map(|char| if usual(char) { char } else { '_' })
        .collect();
    if name == original && name.len() <= MAX && !is_taken(&name) {
        return name;
    }
    let digest = Sha256::digest(original.as_bytes());
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
        let long = tool_name("ext", "notes", &"x".repeat(100), free);
        assert_eq!(long.len(), MAX);
    }
}
