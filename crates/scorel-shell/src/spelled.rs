use std::iter;

/// A text for the inside of a sentence: quotation marks, backslashes and line breaks as in source code, other
/// characters that are not seen as `⟨hex⟩`, as clients show them.
pub fn spelled(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut chars = text.escape_debug();
    while let Some(char) = chars.next() {
        if char != '\\' {
            spelled.push(char);
            continue;
        }
        // A backslash of the text itself is two here.
        match chars.next() {
            Some('u') => {
                let braced = chars.by_ref().take_while(|it| *it != '}');
                let hex: String = braced.filter(char::is_ascii_hexdigit).collect();
                spelled.push_str(&format!("⟨{hex:0>2}⟩"));
            }
            escaped => spelled.extend(iter::once('\\').chain(escaped)),
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_a_number_and_what_ends_a_sentence_is_escaped() {
        for (text, spelt) in [
            ("tee \u{202e}gol.tuo", "tee ⟨202e⟩gol.tuo"),
            ("\u{1b}[2J\u{7}", "⟨1b⟩[2J⟨07⟩"),
            ("a\"b\\c\nd\te", "a\\\"b\\\\c\\nd\\te"),
            ("größer 漢 👍 नमस्ते", "größer 漢 👍 नमस्ते"),
            ("\\u{202e}", "\\\\u{202e}"),
            ("", ""),
        ] {
            assert_eq!(spelled(text), spelt);
        }
    }
}
