use std::sync::{Arc, OnceLock};

/// How texts are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One text per line.
    Lines,
    /// The base protocol of the Language Server Protocol: a header block with `Content-Length`.
    Headers,
}

impl Framing {
    /// The framing that a client uses whose first byte, blanks aside, is `byte`. A JSON-RPC message is
    /// an object or an array; a header block begins with `Content-`. So the first byte decides, and
    /// the first bytes of HTTP, TLS and SSH are none of these.
    pub(super) fn of_first_byte(byte: u8) -> Option<Self> {
        match byte {
            b'{' | b'[' => Some(Self::Lines),
            b'C' | b'c' => Some(Self::Headers),
            _ => None,
        }
    }
}

/// The framing of a connection: set by the decoder at the first byte, read by the encoder.
pub(crate) type ChosenFraming = Arc<OnceLock<Framing>>;

/// A buffer that grew beyond this for a large text is not kept, in bytes: 128 connections with a
/// buffer of 8 MiB each would hold 1 GiB.
pub(super) const KEPT_BUFFER: usize = 256 * 1024;
