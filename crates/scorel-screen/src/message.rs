//! Breaks this program's own messages at words.

use crate::width::width;

/// Sets off the lines that continue one.
const INDENT: &str = "  ";

/// Breaks lines that are wider than this at spaces, but not between backquotes: what stands there is copied. A
/// line that begins with a space stays: it is of a list, or has to be read exactly.
pub fn wrapped_message(text: &str, width: usize) -> String {
    let lines = text.split('\n').map(|line| match line.starts_with(' ') {
        true => line.to_owned(),
        false => broken(line, width),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn broken(line: &str, columns: usize) -> String {
    let mut whole: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in line.split(' ') {
        match whole.last_mut() {
            Some(last) if is_open => {
                last.push(' ');
                last.push_str(word);
            }
            _ => whole.push(word.to_owned()),
        }
        is_open ^= word.matches('`').count() % 2 == 1;
    }
    let (mut text, mut column) = (String::new(), 0);
    for word in whole {
        let wide = width(&word);
        if column > 0 && column + 1 + wide > columns {
            text.push('\n');
            text.push_str(INDENT);
            column = INDENT.len();
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(&word);
        column += wide;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::wrapped_message as wrapped;

    #[test]
    fn lines_are_broken_between_words_and_not_in_what_is_copied() {
        let text =
            "hint: run `scorelctl approve ses_1 prm_2` and wait\n  1  of a list that is long";
        let expected =
            "hint: run\n  `scorelctl approve ses_1 prm_2`\n  and wait\n  1  of a list that is long";
        assert_eq!(wrapped(text, 20), expected);
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(
            wrapped("allow it? [y]es, [?]: ", 18),
            "allow it? [y]es,\n  [?]: "
        );
        assert_eq!(
            wrapped("no `end of it is there", 10),
            "no\n  `end of it is there"
        );
    }
}
