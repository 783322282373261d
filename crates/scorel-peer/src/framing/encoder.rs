use std::fmt::Write;
use std::io;

use bytes::{BufMut, BytesMut};
use tokio_util::codec::Encoder;

use super::kind::{ChosenFraming, Framing, KEPT_BUFFER};
use crate::JsonText;

/// Writes texts in the client's framing.
#[derive(Debug)]
pub(crate) struct TextEncoder {
    chosen: ChosenFraming,
}

impl TextEncoder {
    pub(crate) fn new(chosen: ChosenFraming) -> Self {
        Self { chosen }
    }
}

impl Encoder<JsonText> for TextEncoder {
    type Error = io::Error;

    fn encode(&mut self, text: JsonText, buffer: &mut BytesMut) -> io::Result<()> {
        if buffer.is_empty() && buffer.capacity() > KEPT_BUFFER {
            *buffer = BytesMut::new();
        }
        match self.chosen.get() {
            Some(Framing::Headers) => {
                write!(buffer, "Content-Length: {}\r\n\r\n", text.len())
                    .map_err(io::Error::other)?;
                text.put(buffer);
            }
            Some(Framing::Lines) | None => {
                text.put(buffer);
                buffer.put_u8(b'\n');
            }
        }
        Ok(())
    }
}
