const GAP: &str = "\n[…]\n";

/// The beginning and the end of a text that is longer than `max_bytes`, with a mark between them; a
/// shorter text as it is. Never longer than that, unless the mark is.
pub fn excerpt(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let room = max_bytes.saturating_sub(GAP.len());
    let mut head = room.div_ceil(2);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - room / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}{GAP}{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn both_ends_of_a_long_text_stay_within_the_limit() {
        assert_eq!(excerpt("short", 5), "short");
        let text = format!("begin{}end", "é".repeat(100));
        for max in 0..text.len() {
            let short = excerpt(&text, max);
            assert!(short.len() <= max.max("\n[…]\n".len()), "{max}: {short}");
        }
        let text = format!("begin{}end", "-".repeat(100));
        assert_eq!(excerpt(&text, 13), "beg\n[…]\nend");
    }
}
