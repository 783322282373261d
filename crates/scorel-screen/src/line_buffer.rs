/// The bytes after which an unfinished line, or a block of lines, counts as finished. What is kept and rendered again
/// stays small by it, whatever a model writes.
pub(crate) const MAX_BLOCK: usize = 16 * 1024;

/// Makes lines of text that comes in pieces. The lines depend on the text alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineBuffer {
    line: String,
}

impl LineBuffer {
    /// Takes text up to the end of a line, and returns that line; `None` if there is no text left and the line has
    /// no end yet. A line feed ends a line, and so does its size.
    pub(crate) fn next(&mut self, text: &mut &str) -> Option<String> {
        let room = MAX_BLOCK - self.line.len();
        let feed = text.find('\n').filter(|end| *end < room);
        let end = feed.unwrap_or_else(|| {
            let ends = (0..=room.min(text.len())).rev();
            ends.into_iter()
                .find(|end| text.is_char_boundary(*end))
                .unwrap_or(0)
        });
        let is_full = end < text.len();
        self.line.push_str(&text[..end]);
        *text = &text[end + usize::from(feed.is_some())..];
        is_full.then(|| self.take())
    }

    /// The line so far, which ends here.
    pub(crate) fn take(&mut self) -> String {
        let mut line = std::mem::take(&mut self.line);
        if line.ends_with('\r') {
            line.pop();
        }
        line
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.line.is_empty()
    }
}
