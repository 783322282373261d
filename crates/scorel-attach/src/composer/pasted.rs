use std::ops::Range;

/// A longer paste shows as a label.
const MAX_LINES: usize = 20;
const MAX_BYTES: usize = 2 << 10;

/// The longest label, in bytes.
pub(super) const MAX_LABEL: usize = 64;

/// Long pastes, which the text contains as labels such as `[paste 1: 312 lines]`.
#[derive(Debug, Default)]
pub(super) struct Pastes {
    /// Labels and texts.
    all: Vec<(String, String)>,
    last: usize,
}

/// Returns whether a paste is shown as a label.
pub(super) fn is_long(text: &str) -> bool {
    text.len() > MAX_BYTES || text.lines().count() > MAX_LINES
}

impl Pastes {
    pub(super) fn from_kept(all: Vec<(String, String)>) -> Self {
        let last = all
            .iter()
            .filter_map(|(label, _)| number(label))
            .max()
            .unwrap_or(0);
        Self { all, last }
    }

    /// Keeps a paste and returns its label.
    pub(super) fn add(&mut self, text: String) -> String {
        self.last += 1;
        let label = label(self.last, &text);
        self.all.push((label.clone(), text));
        label
    }

    /// Adds to the last paste, if its label ends `before`: a terminal without bracketed paste hands over a paste in
    /// pieces. Returns the labels before and after.
    pub(super) fn extend(&mut self, before: &str, text: &str) -> Option<(String, String)> {
        let (last, pasted) = self
            .all
            .last_mut()
            .filter(|(label, _)| before.ends_with(label.as_str()))?;
        pasted.push_str(text);
        let label = label(self.last, pasted);
        Some((std::mem::replace(last, label.clone()), label))
    }

    /// The bytes of all pastes.
    pub(super) fn len(&self) -> usize {
        self.all.iter().map(|(_, text)| text.len()).sum()
    }

    /// The places of the labels, in the order of the text. Each stands for its paste once.
    pub(super) fn labels_in(&self, text: &str) -> Vec<Range<usize>> {
        self.places(text)
            .into_iter()
            .map(|(place, _)| place)
            .collect()
    }

    /// The text with pastes in place of their labels. What a paste contains is left as it is.
    pub(super) fn expanded(&self, text: &str) -> String {
        let mut expanded = String::with_capacity(text.len() + self.len());
        let mut at = 0;
        for (place, paste) in self.places(text) {
            expanded.push_str(&text[at..place.start]);
            expanded.push_str(paste);
            at = place.end;
        }
        expanded.push_str(&text[at..]);
        expanded
    }

    /// The pastes whose labels are in the text.
    pub(super) fn used_in(&self, text: &str) -> Vec<(String, String)> {
        self.all
            .iter()
            .filter(|(label, _)| text.contains(label))
            .cloned()
            .collect()
    }

    /// Forgets pastes whose labels are gone.
    pub(super) fn retain(&mut self, is_used: impl Fn(&str) -> bool) {
        self.all.retain(|(label, _)| is_used(label));
    }

    fn places(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let found = self.all.iter().filter_map(|(label, paste)| {
            let at = text.find(label)?;
            Some((at..at + label.len(), paste.as_str()))
        });
        let mut places: Vec<_> = found.collect();
        places.sort_by_key(|(place, _)| place.start);
        places
    }
}

fn label(number: usize, text: &str) -> String {
    match text.lines().count() {
        0 | 1 => format!("[paste {number}: {} bytes]", text.len()),
        lines => format!("[paste {number}: {lines} lines]"),
    }
}

fn number(label: &str) -> Option<usize> {
    label
        .strip_prefix("[paste ")?
        .split(':')
        .next()?
        .parse()
        .ok()
}
