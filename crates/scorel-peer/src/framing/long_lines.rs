use bytes::{Buf as _, Bytes, BytesMut};
use memchr::memchr;

use super::lines::{LineCutter, LineTooLong};

/// Bytes of a line in which its id is looked for.
const HEAD: usize = 256;

/// Lines that are too long: each becomes the failure of the call that it answers, and its rest is skipped.
#[derive(Debug)]
pub(super) struct LongLines {
    limit: usize,
    is_skipping: bool,
}

impl LongLines {
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            limit,
            is_skipping: false,
        }
    }

    pub(super) const fn is_skipping(&self) -> bool {
        self.is_skipping
    }

    /// Takes the next line. Fails at one that is too long and does not begin with the id of an answer.
    pub(super) fn next(
        &mut self,
        lines: &mut LineCutter,
        buffer: &mut BytesMut,
    ) -> Result<Option<Bytes>, LineTooLong> {
        if self.is_skipping {
            let Some(end) = memchr(b'\n', buffer) else {
                buffer.clear();
                return Ok(None);
            };
            buffer.advance(end + 1);
            self.is_skipping = false;
        }
        let id = (buffer.len() > self.limit).then(|| answered(&buffer[..HEAD.min(buffer.len())]));
        let before = buffer.len();
        let too_long = match lines.next(buffer) {
            Ok(line) => return Ok(line),
            Err(too_long) => too_long,
        };
        let id = id.flatten().ok_or(too_long)?;
        if buffer.len() == before {
            // Without its end.
            lines.rest(buffer);
            self.is_skipping = true;
        }
        let error = format!(r#"{{"code":-32000,"message":"the answer is too long: {too_long}"}}"#);
        Ok(Some(
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into(),
        ))
    }
}

/// The id with which an answer begins.
fn answered(head: &[u8]) -> Option<u64> {
    let head = String::from_utf8_lossy(head);
    let (before, after) = head.split_once("\"id\"")?;
    let is_outermost = before.matches('{').count() == 1 && !before.contains("\"method\"");
    let number = after.trim_start().strip_prefix(':')?.trim_start();
    let end = number.find(|char: char| !char.is_ascii_digit())?;
    is_outermost.then(|| number[..end].parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Vec<Result<String, LineTooLong>> {
        let (mut long, mut lines) = (LongLines::new(60), LineCutter::new(60));
        let mut all = Vec::new();
        let mut buffer = BytesMut::new();
        for piece in text.as_bytes().chunks(50) {
            buffer.extend_from_slice(piece);
            while let Some(line) = long.next(&mut lines, &mut buffer).transpose() {
                let is_end = line.is_err();
                all.push(line.map(|it| String::from_utf8(it.to_vec()).unwrap()));
                if is_end {
                    return all;
                }
            }
        }
        all
    }

    #[test]
    fn a_long_answer_is_the_failure_of_its_call_and_the_next_line_is_read() {
        for length in [61, 400] {
            let answer = format!(
                r#"{{"jsonrpc":"2.0","id":7,"result":"{}"}}"#,
                "x".repeat(length)
            );
            let all = taken(&format!("{answer}\n{{}}\n"));
            let failure = all[0].as_ref().unwrap();
            assert!(failure.contains(r#""id":7,"error""#), "{failure}");
            assert_eq!(all[1].as_ref().unwrap(), "{}");
        }
    }

    #[test]
    fn a_long_text_that_is_no_answer_is_an_error() {
        let call = format!(r#"{{"method":"x","id":7,"params":"{}"}}"#, "x".repeat(400));
        let inner = format!(r#"{{"result":{{"id":7,"text":"{}"}}}}"#, "x".repeat(400));
        for text in [call, inner, "x".repeat(400)] {
            assert_eq!(taken(&text), [Err(LineTooLong { limit: 60 })], "{text}");
        }
    }
}
