//! Texts of models, tools and files in places where an editor shows them as its own: titles and names.

use scorel_screen::escape::exact_line;

/// Of a title, in characters.
const MAX_LINE: usize = 200;

/// The first line of a text, cut. A character that is not seen, such as a control or a change of direction, is shown
/// as `⟨hex⟩`.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(MAX_LINE).collect();
    let is_all = cut.len() == text.len();
    exact_line(&cut) + if is_all { "" } else { "…" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        assert_eq!(
            one_line("make test | tee \u{202e}gol.tuo"),
            "make test | tee ⟨202e⟩gol.tuo"
        );
        assert_eq!(one_line("a\u{1b}]0;x\u{7}"), "a⟨1b⟩]0;x⟨07⟩");
        assert_eq!(one_line("  first\nsecond "), "first…");
        assert_eq!(one_line(&"é".repeat(201)), format!("{}…", "é".repeat(200)));
        assert_eq!(one_line(""), "");
    }
}
