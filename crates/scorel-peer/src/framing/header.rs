//! The header block of the Language Server Protocol.

use super::error::FrameError;

/// In bytes, with the empty line. Clients send one or two short fields.
const MAX_BLOCK: usize = 4 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameHeader {
    /// Length of the block in bytes, with the empty line.
    pub(super) size: usize,
    pub(super) content_length: usize,
}

/// Parses the block at the beginning of the buffer; `None` if it is incomplete. Fields other than
/// `Content-Length` are ignored. A bare LF ends a line too.
pub(super) fn parse(buffer: &[u8]) -> Result<Option<FrameHeader>, FrameError> {
    let block = &buffer[..buffer.len().min(MAX_BLOCK)];
    let mut content_length = None;
    let mut size = 0;
    for line in block.split_inclusive(|byte| *byte == b'\n') {
        if !line.ends_with(b"\n") {
            break;
        }
        size += line.len();
        let line = line.trim_ascii_end();
        if line.is_empty() {
            let missing = FrameError::Header("the header block has no Content-Length");
            let content_length = content_length.ok_or(missing)?;
            return Ok(Some(FrameHeader {
                size,
                content_length,
            }));
        }
        if let Some(length) = field(line)?
            && content_length.replace(length).is_some()
        {
            return Err(FrameError::Header(
                "the header block has two Content-Length fields",
            ));
        }
    }
    match buffer.len() >= MAX_BLOCK {
        true => Err(FrameError::Header(
            "the header block is larger than 4096 bytes",
        )),
        false => Ok(None),
    }
}

/// The value if the line is a `Content-Length` field.
fn field(line: &[u8]) -> Result<Option<usize>, FrameError> {
    let colon = memchr::memchr(b':', line).ok_or(FrameError::Header("a header has no colon"))?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    if name.is_empty() || !name.iter().all(token) {
        return Err(FrameError::Header("a header's name is not a token"));
    }
    if !name.eq_ignore_ascii_case(b"content-length") {
        return Ok(None);
    }
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value)
        .ok()
        .filter(|_| digits)
        .and_then(|value| value.parse().ok())
        .map(Some)
        .ok_or(FrameError::Header("the Content-Length is not a length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_fields_are_ignored_and_names_are_case_insensitive() {
        let block = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-length:  12 \r\n\r\n{";
        let header = parse(block).unwrap().unwrap();
        assert_eq!((header.content_length, header.size), (12, block.len() - 1));
    }

    #[test]
    fn a_malformed_block_is_refused() {
        let long = format!("Content-Length: 1\r\nX: {}", "x".repeat(MAX_BLOCK));
        for block in [
            "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: +1\r\n\r\n",
            "Content-Length: 0x1\r\n\r\n",
            "Content-Length: 1 1\r\n\r\n",
            "Content-Length:\r\n\r\n",
            "Content-Length: 99999999999999999999\r\n\r\n",
            "Content-Type: x\r\n\r\n",
            "CONNECT localhost:80 HTTP/1.1\r\n\r\n",
            "Content-Length\r\n\r\n",
            " Content-Length: 1\r\n\r\n",
            &long,
        ] {
            assert!(parse(block.as_bytes()).is_err(), "{block:.40}");
        }
    }

    #[test]
    fn an_incomplete_block_waits_for_more() {
        for block in [
            "C",
            "Content-Length: 1",
            "Content-Length: 1\r\n",
            "Content-Length: 1\r\n\r",
        ] {
            assert_eq!(parse(block.as_bytes()).unwrap(), None, "{block}");
        }
    }
}
