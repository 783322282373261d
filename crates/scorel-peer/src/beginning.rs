/// The first `max` bytes of a text, cut at a character, with `…` if it is longer.
pub fn beginning(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let cut = (0..=max).rev().find(|at| text.is_char_boundary(*at));
    format!("{}…", &text[..cut.unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character() {
        assert_eq!(beginning("abc", 3), "abc");
        assert_eq!(beginning("abcd", 3), "abc…");
        assert_eq!(beginning("aéb", 2), "a…");
        assert_eq!(beginning("", 0), "");
    }
}
