use bytes::{Buf, Bytes, BytesMut};
use serde_json::value::RawValue;
use tokio_util::codec::Decoder;

use super::error::FrameError;
use super::header;
use super::kind::{ChosenFraming, Framing};
use super::lines::{LineCutter, split};
use super::long_lines::LongLines;

/// Splits a byte stream into frames. The limit is checked before a frame is buffered.
#[derive(Debug)]
pub(crate) struct FrameDecoder {
    chosen: ChosenFraming,
    limit: usize,
    lines: LineCutter,
    /// Takes lines that are too long, where they cost no more than their call.
    long_lines: Option<LongLines>,
    /// The length of the body whose header block was consumed.
    body: Option<usize>,
}

impl FrameDecoder {
    pub(crate) fn new(chosen: ChosenFraming, limit: usize) -> Self {
        Self {
            chosen,
            limit,
            lines: LineCutter::new(limit),
            long_lines: None,
            body: None,
        }
    }

    /// A decoder of lines where one that is too long becomes the failure of the call that it answers.
    pub(crate) fn loose(chosen: ChosenFraming, limit: usize) -> Self {
        Self {
            long_lines: Some(LongLines::new(limit)),
            ..Self::new(chosen, limit)
        }
    }

    /// Returns whether the buffer holds the beginning of a frame.
    pub(super) fn in_frame(&self, buffer: &BytesMut) -> bool {
        self.body.is_some() || !buffer.is_empty()
    }

    fn framing(&self, src: &BytesMut) -> Result<Option<Framing>, FrameError> {
        if let Some(framing) = self.chosen.get() {
            return Ok(Some(*framing));
        }
        let Some(first) = src.first() else {
            return Ok(None);
        };
        let framing = Framing::of_first_byte(*first).ok_or(FrameError::Unrecognised)?;
        Ok(Some(*self.chosen.get_or_init(|| framing)))
    }

    fn line(&mut self, src: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        let line = match &mut self.long_lines {
            Some(long) => long.next(&mut self.lines, src)?,
            None => self.lines.next(src)?,
        };
        Ok(line.map(|line| line.slice(..line.trim_ascii_end().len())))
    }

    fn block(&mut self, src: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        let length = match self.body {
            Some(length) => length,
            None => match header::parse(src)? {
                None => return Ok(None),
                Some(header) => {
                    src.advance(header.size);
                    header.content_length
                }
            },
        };
        if length > self.limit {
            return Err(FrameError::TooLarge { limit: self.limit });
        }
        self.body = (src.len() < length).then_some(length);
        Ok((src.len() >= length).then(|| split(src, length)))
    }
}

impl Decoder for FrameDecoder {
    type Item = Bytes;
    type Error = FrameError;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        // A line whose rest is skipped ends with the next line end, which is a blank.
        let is_skipping = self.long_lines.as_ref().is_some_and(LongLines::is_skipping);
        if !self.lines.is_in_line() && self.body.is_none() && !is_skipping {
            skip_blanks(src);
        }
        match self.framing(src)? {
            None => Ok(None),
            Some(Framing::Lines) => self.line(src),
            Some(Framing::Headers) => self.block(src),
        }
    }

    /// The last line needs no newline (`printf '{…}' | nc`). If it is not complete JSON, it was cut and
    /// is dropped like any other incomplete frame.
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        if let Some(frame) = self.decode(src)? {
            return Ok(Some(frame));
        }
        let last = self.lines.rest(src);
        let whole = self.chosen.get() == Some(&Framing::Lines)
            && serde_json::from_slice::<&RawValue>(&last).is_ok();
        Ok(whole.then_some(last))
    }
}

/// Blank lines between frames are ignored: clients that mix up the framings end a body with a newline.
fn skip_blanks(src: &mut BytesMut) {
    let blanks = src.len() - src.trim_ascii_start().len();
    src.advance(blanks);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::kind::KEPT_BUFFER;
    use super::*;

    fn decoder(limit: usize) -> FrameDecoder {
        FrameDecoder::new(Arc::default(), limit)
    }

    /// Feeds the pieces one by one and ends the stream.
    fn frames(limit: usize, pieces: &[&[u8]]) -> Result<Vec<String>, FrameError> {
        let mut decoder = decoder(limit);
        let mut buffer = BytesMut::new();
        let mut found = Vec::new();
        for piece in pieces {
            buffer.extend_from_slice(piece);
            while let Some(frame) = decoder.decode(&mut buffer)? {
                found.push(String::from_utf8(frame.to_vec()).unwrap());
            }
        }
        while let Some(frame) = decoder.decode_eof(&mut buffer)? {
            found.push(String::from_utf8(frame.to_vec()).unwrap());
        }
        Ok(found)
    }

    #[test]
    fn a_stream_cut_at_every_byte_gives_the_same_frames() {
        let streams: [&[u8]; 3] = [
            b"\r\n {\"a\":1}\n\n[2]\r\n  \n{\"c\":3}",
            b"Content-Length: 7\r\n\r\n{\"a\":1}content-type: x\r\nContent-Length:3\r\n\r\n[2]\
              Content-Length: 0\r\n\r\nContent-Length: 7\r\n\r\n{\"c\":3}",
            b"Content-Length: 7\n\n{\"a\":1}\n\nContent-Length: 3\n\n[2]\nContent-Length: 7\n\n{\"c\":3}\n",
        ];
        for stream in streams {
            let bytes: Vec<&[u8]> = stream.chunks(1).collect();
            for cut in 0..=stream.len() {
                let (a, b) = stream.split_at(cut);
                let found = frames(100, &[a, b]).unwrap();
                let found: Vec<_> = found.iter().filter(|frame| !frame.is_empty()).collect();
                assert_eq!(found, [r#"{"a":1}"#, "[2]", r#"{"c":3}"#], "cut at {cut}");
            }
            assert_eq!(
                frames(100, &[stream]).unwrap(),
                frames(100, &bytes).unwrap()
            );
        }
    }

    #[test]
    fn a_frame_may_be_as_large_as_the_limit() {
        let line = format!("[{}]", "1".repeat(98));
        for end in ["\n", "\r\n", ""] {
            assert_eq!(
                frames(100, &[format!("{line}{end}").as_bytes()]).unwrap(),
                [line.as_str()]
            );
        }
        let larger = format!("[1{}]\n", "1".repeat(98));
        assert!(matches!(
            frames(100, &[larger.as_bytes()]),
            Err(FrameError::TooLarge { limit: 100 })
        ));
        let header = b"Content-Length: 101\r\n\r\n";
        assert!(matches!(
            frames(100, &[header]),
            Err(FrameError::TooLarge { limit: 100 })
        ));
    }

    #[test]
    fn an_endless_line_is_refused_at_the_limit() {
        let mut decoder = decoder(100);
        let mut buffer = BytesMut::from(&b"["[..]);
        let mut fed = 1;
        while decoder.decode(&mut buffer).is_ok() {
            buffer.extend_from_slice(b"1234567890");
            fed += 10;
        }
        assert!(fed <= 111, "{fed} bytes were buffered");
    }

    #[test]
    fn an_incomplete_last_frame_is_dropped() {
        assert!(frames(100, &[b"{\"a\":"]).unwrap().is_empty());
        assert!(
            frames(100, &[b"Content-Length: 7\r\n\r\n{\"a\""])
                .unwrap()
                .is_empty()
        );
        assert!(frames(100, &[b"Content-Le"]).unwrap().is_empty());
        assert_eq!(frames(100, &[b"[1]"]).unwrap(), ["[1]"]);
    }

    #[test]
    fn other_protocols_are_refused_by_their_first_byte() {
        let hello = b"\x16\x03\x01\x02\x00\x01\x00";
        let others: [&[u8]; 6] = [
            b"GET / HTTP/1.1\r\n",
            hello,
            b"SSH-2.0-x\r\n",
            b"\xef\xbb\xbf{}",
            b"\0{}",
            b"1\n",
        ];
        for other in others {
            assert!(
                matches!(frames(100, &[other]), Err(FrameError::Unrecognised)),
                "{other:?}"
            );
        }
    }

    #[test]
    fn the_buffer_of_a_large_frame_is_released() {
        let mut decoder = decoder(10 * KEPT_BUFFER);
        let mut buffer = BytesMut::from(format!("[{}]\n[1", " ".repeat(2 * KEPT_BUFFER)).as_str());
        assert!(decoder.decode(&mut buffer).unwrap().is_some());
        assert_eq!(&buffer[..], b"[1");
        assert!(buffer.capacity() < 64);
    }
}
