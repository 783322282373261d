/// The meaning of a line of Markdown by itself, as far as it begins or ends a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    /// The beginning of a block of code, with its fence.
    Fence(Fence),
    Heading,
    /// A line below a heading, or across.
    Underline,
    Rule,
    Quote,
    Item(ItemMarker),
    /// The address of a link that is named elsewhere.
    Definition,
    Text,
}

/// The line around a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: char,
    length: usize,
}

impl Fence {
    fn of(text: &str) -> Option<Self> {
        let sign = text
            .chars()
            .next()
            .filter(|sign| matches!(sign, '`' | '~'))?;
        let info = text.trim_start_matches(sign);
        let length = text.len() - info.len();
        let is_fence = length >= 3 && !(sign == '`' && info.contains('`'));
        is_fence.then_some(Self { sign, length })
    }

    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.length && text.chars().all(|char| char == self.sign)
    }
}

/// The mark before an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemMarker {
    /// The bytes to the item's text.
    pub(super) bytes: usize,
    /// The columns of it as it is shown.
    pub(super) shown: usize,
    /// Unset for a number but 1, which begins no list in the middle of a paragraph.
    pub(super) interrupts: bool,
}

impl ItemMarker {
    fn of(text: &str) -> Option<Self> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let sign = text[digits..].chars().next()?;
        let is_sign = match digits {
            0 => matches!(sign, '-' | '*' | '+'),
            1..=9 => matches!(sign, '.' | ')'),
            _ => false,
        };
        let rest = text[digits..].get(1..).filter(|_| is_sign)?;
        let spaces = rest.bytes().take_while(|byte| *byte == b' ').count();
        if spaces == 0 && !rest.is_empty() {
            return None;
        }
        let spaces = if spaces > 4 { 1 } else { spaces };
        Some(Self {
            bytes: digits + 1 + spaces,
            shown: if digits == 0 { 2 } else { digits + 2 },
            interrupts: !rest.is_empty() && (digits == 0 || &text[..digits] == "1"),
        })
    }
}

impl LineKind {
    /// The kind of a line without the spaces at its beginning.
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim_end();
        if text.is_empty() {
            return Self::Blank;
        }
        if let Some(fence) = Fence::of(text) {
            return Self::Fence(fence);
        }
        let signs = text.trim_start_matches('#');
        if (1..=6).contains(&(text.len() - signs.len()))
            && (signs.is_empty() || signs.starts_with(' '))
        {
            return Self::Heading;
        }
        if text.chars().all(|char| char == '=')
            || text.len() > 1 && text.chars().all(|char| char == '-')
        {
            return Self::Underline;
        }
        if is_rule(text) {
            return Self::Rule;
        }
        if text.starts_with('>') {
            return Self::Quote;
        }
        if let Some(marker) = ItemMarker::of(text) {
            return Self::Item(marker);
        }
        let named = text
            .strip_prefix('[')
            .and_then(|text| text.split_once("]:"));
        match named.is_some_and(|(name, _)| !name.contains([']', '['])) {
            true => Self::Definition,
            false => Self::Text,
        }
    }
}

fn is_rule(text: &str) -> bool {
    let sign = text.chars().next().unwrap_or(' ');
    let count = text.chars().filter(|char| *char == sign).count();
    matches!(sign, '*' | '-' | '_')
        && count >= 3
        && text.chars().all(|char| char == sign || char == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let fence = |sign, length| LineKind::Fence(Fence { sign, length });
        let item = |bytes, shown, interrupts| {
            LineKind::Item(ItemMarker {
                bytes,
                shown,
                interrupts,
            })
        };
        for (line, kind) in [
            ("  ", LineKind::Blank),
            ("```rust", fence('`', 3)),
            ("~~~~", fence('~', 4)),
            ("```a``` b", LineKind::Text),
            ("## H", LineKind::Heading),
            ("#!/bin/sh", LineKind::Text),
            ("####### x", LineKind::Text),
            ("---", LineKind::Underline),
            ("===", LineKind::Underline),
            ("* * *", LineKind::Rule),
            ("> q", LineKind::Quote),
            ("- a", item(2, 2, true)),
            ("-", item(1, 2, false)),
            ("-a", LineKind::Text),
            ("12. a", item(4, 4, false)),
            ("1) a", item(3, 3, true)),
            ("1986.", item(5, 6, false)),
            ("1234567890. a", LineKind::Text),
            ("[a]: http://b", LineKind::Definition),
            ("[a](b)", LineKind::Text),
            ("**a**", LineKind::Text),
            ("é", LineKind::Text),
        ] {
            assert_eq!(LineKind::of(line), kind, "{line:?}");
        }
    }
}
