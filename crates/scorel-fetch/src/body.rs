//! Response bodies: decompression with a limit.

use std::io::{self, Write};

use flate2::write::{MultiGzDecoder, ZlibDecoder};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use scorel_proto::ErrorChain;

use crate::error::FetchError;

/// The `Accept-Encoding` header.
pub(crate) const ACCEPTED: &str = "gzip, deflate";

/// A response body, decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResponseBody {
    pub(crate) bytes: Vec<u8>,
    /// True if the body is longer than the limit.
    pub(crate) is_cut: bool,
}

/// Reads up to `limit` bytes of a body. The limit holds for the decompressed and for the compressed size:
/// a body may compress to more than itself, and one that decompresses to nothing must end too.
pub(crate) async fn read(mut response: Response, limit: usize) -> Result<ResponseBody, FetchError> {
    let host = response.url().host_str().unwrap_or_default().to_owned();
    let mut decoder = BodyDecoder::of(&response, limit)?;
    let mut received = 0;
    loop {
        let chunk = response.chunk().await.map_err(|error| FetchError::Cut {
            host: host.clone(),
            cause: ErrorChain(&error.without_url()).to_string(),
        })?;
        let Some(chunk) = chunk else {
            return decoder.finish();
        };
        received += chunk.len();
        let is_full = decoder.write(&chunk)?;
        if is_full || received > limit {
            return Ok(decoder.cut());
        }
    }
}

#[derive(Debug)]
enum BodyDecoder {
    Plain(Bounded),
    Gzip(MultiGzDecoder<Bounded>),
    Deflate(ZlibDecoder<Bounded>),
}

impl BodyDecoder {
    fn of(response: &Response, limit: usize) -> Result<Self, FetchError> {
        let bounded = Bounded {
            bytes: Vec::new(),
            limit,
            is_cut: false,
        };
        let encoding = response.headers().get(CONTENT_ENCODING);
        let encoding = encoding.map(|value| value.to_str().unwrap_or("?").trim());
        match encoding.map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "identity") => Ok(Self::Plain(bounded)),
            Some("gzip" | "x-gzip") => Ok(Self::Gzip(MultiGzDecoder::new(bounded))),
            Some("deflate") => Ok(Self::Deflate(ZlibDecoder::new(bounded))),
            Some(other) => {
                let other = other.chars().take(40).collect();
                Err(FetchError::Encoding(other))
            }
        }
    }

    /// Decodes a chunk. Returns whether the limit was reached.
    fn write(&mut self, chunk: &[u8]) -> Result<bool, FetchError> {
        let written = match self {
            Self::Plain(bounded) => bounded.write_all(chunk),
            Self::Gzip(decoder) => decoder.write_all(chunk),
            Self::Deflate(decoder) => decoder.write_all(chunk),
        };
        match written {
            Ok(()) => Ok(false),
            Err(_) if self.bounded().is_cut => Ok(true),
            Err(error) => Err(FetchError::Encoding(error.to_string())),
        }
    }

    fn finish(mut self) -> Result<ResponseBody, FetchError> {
        let ended = match &mut self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Deflate(decoder) => decoder.try_finish(),
        };
        match ended {
            Err(error) if !self.bounded().is_cut => Err(FetchError::Encoding(error.to_string())),
            _ => Ok(self.into_body(false)),
        }
    }

    fn cut(self) -> ResponseBody {
        self.into_body(true)
    }

    fn bounded(&self) -> &Bounded {
        match self {
            Self::Plain(bounded) => bounded,
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Deflate(decoder) => decoder.get_ref(),
        }
    }

    fn into_body(mut self, is_cut: bool) -> ResponseBody {
        let bounded = match &mut self {
            Self::Plain(bounded) => bounded,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        };
        ResponseBody {
            bytes: std::mem::take(&mut bounded.bytes),
            is_cut: is_cut || bounded.is_cut,
        }
    }
}

/// A buffer with a limit. One more byte is an error, which is the only way to stop a decoder.
#[derive(Debug)]
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
    is_cut: bool,
}

impl Write for Bounded {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.bytes.len();
        if room == 0 && !buffer.is_empty() {
            self.is_cut = true;
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let taken = room.min(buffer.len());
        self.bytes.extend_from_slice(&buffer[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
