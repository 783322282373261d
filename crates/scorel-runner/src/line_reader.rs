//! Lines of a stream of bytes, of bounded length.

use memchr::memchr;

/// Bytes of the longest line.
pub(crate) const MAX_LINE: usize = 8 * 1024 * 1024;

/// Cuts bytes into lines. Each byte is searched once for a line end, however long its line is.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
    /// Where the first line begins.
    start: usize,
    /// No line end is before this.
    searched: usize,
}

/// A line is longer than [`MAX_LINE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line is longer than {} MiB", MAX_LINE / 1024 / 1024)]
pub(crate) struct LineTooLong;

impl LineReader {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line, without its end.
    pub(crate) fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineTooLong> {
        let Some(at) = memchr(b'\n', &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            if self.buffer.len() - self.start > MAX_LINE {
                return Err(LineTooLong);
            }
            self.compact();
            return Ok(None);
        };
        let end = self.searched + at;
        let line = &self.buffer[self.start..end];
        if line.len() > MAX_LINE {
            return Err(LineTooLong);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.start = end + 1;
        self.searched = self.start;
        Ok(Some(line))
    }

    /// What follows the last line end, at the end of the stream.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.buffer.split_off(self.start);
        *self = Self::default();
        rest
    }

    /// All bytes that are there, without an incomplete UTF-8 sequence at their end.
    pub(crate) fn take_text(&mut self) -> Vec<u8> {
        let mut text = self.take_rest();
        if let Err(error) = std::str::from_utf8(&text)
            && error.error_len().is_none()
        {
            self.buffer = text.split_off(error.valid_up_to());
        }
        text
    }

    /// Moves the rest to the front, and gives back the memory of a long line.
    fn compact(&mut self) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.len() * 4 < self.buffer.capacity() {
            self.buffer.shrink_to(self.buffer.len().max(16 * 1024));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(reader: &mut LineReader) -> Vec<String> {
        let next = || reader.next_line().unwrap();
        let lines = std::iter::from_fn(next);
        lines.map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_are_cut() {
        let text = "one\n\ntwo\r\nthree ü\nrest".as_bytes();
        for cut in 0..text.len() {
            let mut reader = LineReader::default();
            reader.push(&text[..cut]);
            let mut all = lines(&mut reader);
            reader.push(&text[cut..]);
            all.extend(lines(&mut reader));
            assert_eq!(all, ["one", "", "two", "three ü"], "{cut}");
            assert_eq!(reader.take_rest(), b"rest");
        }
    }

    #[test]
    fn a_line_of_the_limit_passes_and_a_longer_one_does_not() {
        let mut reader = LineReader::default();
        reader.push(&vec![b'x'; MAX_LINE]);
        assert_eq!(reader.next_line(), Ok(None));
        reader.push(b"\n");
        assert_eq!(reader.next_line().unwrap().unwrap().len(), MAX_LINE);
        reader.push(&vec![b'x'; MAX_LINE + 1]);
        assert_eq!(reader.next_line(), Err(LineTooLong));
    }

    #[test]
    fn text_is_not_cut_within_a_character() {
        let mut reader = LineReader::default();
        reader.push(b"a\xc3");
        assert_eq!(reader.take_text(), b"a");
        reader.push(b"\xbc\xff");
        assert_eq!(reader.take_text(), b"\xc3\xbc\xff");
    }
}
