use bytes::{Bytes, BytesMut};
use memchr::memchr;

use super::kind::KEPT_BUFFER;

/// Cuts lines off a buffer. Each byte is searched once for a line end, however long its line is.
#[derive(Debug)]
pub struct LineCutter {
    limit: usize,
    /// Bytes of the unfinished line in which there is no line end.
    searched: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line is longer than {limit} bytes")]
pub struct LineTooLong {
    pub limit: usize,
}

impl LineCutter {
    /// A cutter of lines of at most `limit` bytes, without their ends.
    pub const fn new(limit: usize) -> Self {
        Self { limit, searched: 0 }
    }

    /// Takes the next whole line, without its end.
    ///
    /// # Errors
    /// It is too long, whether it is whole or not.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, LineTooLong> {
        let too_long = LineTooLong { limit: self.limit };
        let Some(at) = memchr(b'\n', &buffer[self.searched..]) else {
            self.searched = buffer.len();
            // A carriage return may belong to the end.
            return match buffer.len() > self.limit + 1 {
                true => Err(too_long),
                false => Ok(None),
            };
        };
        let mut line = split(buffer, self.searched + at + 1);
        self.searched = 0;
        line.truncate(line.len() - if line.ends_with(b"\r\n") { 2 } else { 1 });
        match line.len() > self.limit {
            true => Err(too_long),
            false => Ok(Some(line)),
        }
    }

    /// Takes what follows the last line end.
    pub fn rest(&mut self, buffer: &mut BytesMut) -> Bytes {
        self.searched = 0;
        buffer.split().freeze()
    }

    pub(super) const fn is_in_line(&self) -> bool {
        self.searched > 0
    }
}

/// Takes a frame off the buffer. A large frame keeps the allocation, and the rest moves to a new one.
pub(super) fn split(src: &mut BytesMut, length: usize) -> Bytes {
    let frame = src.split_to(length).freeze();
    if length > KEPT_BUFFER {
        *src = BytesMut::from(&src[..]);
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(cutter: &mut LineCutter, buffer: &mut BytesMut) -> Vec<String> {
        let lines = std::iter::from_fn(|| cutter.next(buffer).unwrap());
        lines
            .map(|line| String::from_utf8(line.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_are_cut() {
        let text = "one\n\n two \r\nthree ü\nrest".as_bytes();
        for cut in 0..text.len() {
            let (mut cutter, mut buffer) = (LineCutter::new(99), BytesMut::from(&text[..cut]));
            let mut all = lines(&mut cutter, &mut buffer);
            buffer.extend_from_slice(&text[cut..]);
            all.extend(lines(&mut cutter, &mut buffer));
            assert_eq!(all, ["one", "", " two ", "three ü"], "{cut}");
            assert_eq!(&cutter.rest(&mut buffer)[..], b"rest");
        }
    }

    #[test]
    fn a_line_of_the_limit_passes_and_a_longer_one_does_not() {
        for end in ["\n", "\r\n"] {
            let (mut cutter, mut buffer) = (LineCutter::new(9), BytesMut::from("123456789"));
            assert_eq!(cutter.next(&mut buffer), Ok(None));
            buffer.extend_from_slice(end.as_bytes());
            assert_eq!(cutter.next(&mut buffer).unwrap().unwrap().len(), 9);
            buffer.extend_from_slice(b"1234567890");
            buffer.extend_from_slice(end.as_bytes());
            assert_eq!(cutter.next(&mut buffer), Err(LineTooLong { limit: 9 }));
        }
        let endless = LineCutter::new(9).next(&mut BytesMut::from("12345678901"));
        assert_eq!(endless, Err(LineTooLong { limit: 9 }));
    }
}
