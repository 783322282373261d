//! Decompresses response bodies.
//!
//! Requests ask for no compression, but gateways compress all the same, error pages most of all. They use
//! what every client has understood since HTTP/1.1; Brotli and zstd go to clients that ask for them, and their
//! libraries took a twentieth of a build. The decoders are pulled: they make a few kilobytes when a reader asks for more, so a body that inflates
//! to gigabytes takes no more memory than any other before a reader's limit ends it.

use std::io;

use async_compression::tokio::bufread::{DeflateDecoder, GzipDecoder, ZlibDecoder};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio_util::io::{ReaderStream, StreamReader};

use super::body::{BodyError, BodyStream};

/// The number of times that a body may be compressed. More than once is rare, and each time multiplies what a
/// few bytes can become.
const MOST_LAYERS: usize = 2;
/// The largest decompressed body. A reply has a few megabytes; without the limit a body of nothing but
/// line ends or comments would keep a processor busy for hours.
const LIMIT: usize = 256 << 20;

type Reader = Box<dyn AsyncRead + Send + Unpin>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Gzip,
    Deflate,
}

/// The body as it was before it was compressed.
///
/// # Errors
/// The headers name an encoding that is not known.
pub(super) fn decoded(headers: &HeaderMap, body: BodyStream) -> Result<BodyStream, BodyError> {
    let encodings = encodings(headers)?;
    if encodings.is_empty() {
        return Ok(limited(body));
    }
    let body = body.map_err(io::Error::other);
    // The encodings are listed in the order in which they were applied.
    let reader = encodings
        .into_iter()
        .rev()
        .fold(Box::new(StreamReader::new(body)) as Reader, inflate);
    Ok(limited(
        ReaderStream::new(reader).map_err(body_error).boxed(),
    ))
}

fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, BodyError> {
    let values = headers.get_all(CONTENT_ENCODING).into_iter();
    let names = values.map(|value| value.to_str().unwrap_or("?"));
    let mut encodings = Vec::new();
    for name in names.flat_map(|names| names.split(',')).map(str::trim) {
        match name.to_ascii_lowercase().as_str() {
            "" | "identity" => {}
            "gzip" | "x-gzip" => encodings.push(Encoding::Gzip),
            "deflate" => encodings.push(Encoding::Deflate),
            other => return Err(BodyError::Encoding(other.chars().take(40).collect())),
        }
    }
    if encodings.len() > MOST_LAYERS {
        return Err(BodyError::Encoding("compressed too often".to_owned()));
    }
    Ok(encodings)
}

fn inflate(reader: Reader, encoding: Encoding) -> Reader {
    let mut reader = BufReader::new(reader);
    match encoding {
        Encoding::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Encoding::Deflate => {
            let decoder = stream::once(async move {
                // By the standard it is zlib's format, but some servers leave its header out. The
                // header's first byte names the method, which is always 8.
                let first = reader.fill_buf().await?.first().copied();
                let is_zlib = first.is_some_and(|first| first & 0x0f == 8);
                Ok::<_, io::Error>(ReaderStream::new(if is_zlib {
                    Box::new(ZlibDecoder::new(reader)) as Reader
                } else {
                    Box::new(DeflateDecoder::new(reader)) as Reader
                }))
            });
            Box::new(StreamReader::new(decoder.try_flatten().boxed()))
        }
    }
}

fn limited(body: BodyStream) -> BodyStream {
    stream::try_unfold(
        (body, 0),
        async |(mut body, before): (BodyStream, usize)| {
            // A decoder that has input is always ready, and so is a fast host; others have to get their
            // turn.
            tokio::task::coop::consume_budget().await;
            let Some(chunk) = body.try_next().await? else {
                return Ok(None);
            };
            let length = before + chunk.len();
            if length > LIMIT {
                return Err(BodyError::TooLong);
            }
            Ok::<Option<(Bytes, _)>, BodyError>(Some((chunk, (body, length))))
        },
    )
    .boxed()
}

/// Unwraps the error that our own body stream handed to the decoder.
fn body_error(error: io::Error) -> BodyError {
    match error.downcast::<BodyError>() {
        Ok(error) => error,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            BodyError::Cut("the compressed data is incomplete".to_owned())
        }
        Err(error) => BodyError::Garbled(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_of_blank_lines_ends_and_lets_others_run() {
        let block = Bytes::from(vec![b'\n'; 64 * 1024]);
        let endless = stream::repeat(Ok(block)).boxed();
        let mut body = decoded(&HeaderMap::new(), endless).unwrap();
        let other = tokio::spawn(tokio::task::yield_now());
        let mut length = 0;
        let mut last = None;
        while let Some(chunk) = body.next().await {
            length += chunk.as_ref().map_or(0, Bytes::len);
            last = chunk.err();
        }
        assert_eq!((length, last), (LIMIT, Some(BodyError::TooLong)));
        assert!(other.is_finished());
    }
}
