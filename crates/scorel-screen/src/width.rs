use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns between two tab stops.
const TAB: usize = 4;

/// The widest cluster that is kept together. A longer one, such as a chain of Hindi consonants, may be broken.
const MAX_CLUSTER: usize = 4;

/// The number of columns of a text on one line. Tabs count to their stops.
pub fn width(text: &str) -> usize {
    if text.is_ascii() && !text.contains('\t') {
        return text.len();
    }
    clusters(&expanded(text)).map(|(_, columns)| columns).sum()
}

/// The text with spaces in the place of tabs.
pub(crate) fn expanded(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for (place, part) in text.split('\t').enumerate() {
        if place > 0 {
            let spaces = TAB - column % TAB;
            spaced.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        }
        spaced.push_str(part);
        column += clusters(part).map(|(_, columns)| columns).sum::<usize>();
    }
    Cow::Owned(spaced)
}

/// The contents of one place of a terminal, with its columns: characters with what joins them.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.graphemes(true).flat_map(|cluster| {
        let columns = cluster.width();
        let whole = (columns <= MAX_CLUSTER).then_some((cluster, columns));
        let broken = whole.is_none().then(|| {
            let chars = cluster.char_indices();
            chars.map(|(at, char)| {
                let columns = char.width().unwrap_or(0);
                (&cluster[at..at + char.len_utf8()], columns)
            })
        });
        whole.into_iter().chain(broken.into_iter().flatten())
    })
}

/// The bytes at the beginning of a text that fit into so many columns.
pub(crate) fn fitting(text: &str, columns: usize) -> usize {
    let (mut taken, mut bytes) = (0, 0);
    for (cluster, wide) in clusters(text) {
        if taken + wide > columns {
            break;
        }
        taken += wide;
        bytes += cluster.len();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_a_terminal() {
        for (text, columns) in [
            ("plain", 5),
            ("漢字", 4),
            ("é", 1),
            ("e\u{301}", 1),
            ("👩\u{200d}👩\u{200d}👧\u{200d}👦", 2),
            ("🇮🇷", 2),
            ("می\u{200c}خواهم", 7),
            ("a\tb", 5),
            ("\tb", 5),
            ("漢\tb", 5),
            ("", 0),
        ] {
            assert_eq!(width(text), columns, "{text:?}");
        }
        assert_eq!(fitting("漢字", 3), 3);
        assert_eq!(fitting("abc", 9), 3);
    }

    #[test]
    fn a_cluster_that_never_ends_is_broken() {
        let chain = "क्".repeat(200);
        let widest = clusters(&chain).map(|(_, columns)| columns).max();
        assert!(widest <= Some(MAX_CLUSTER), "{widest:?}");
    }
}
