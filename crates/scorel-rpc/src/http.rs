//! One HTTP request on a Unix socket: documents for programs that speak nothing else.
//!
//! Only what a scraper needs: `GET`, one request, one answer, and the connection ends.

use std::fmt;
use std::io;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutWriter;

use crate::RpcLimits;

/// The first byte of `GET`. No JSON text and no header block begins with it.
pub(crate) const FIRST_BYTE: u8 = b'G';

/// Upper bound of a request in bytes. A scraper sends a few hundred.
const MAX_REQUEST: usize = 8 * 1024;

/// Header lines of a request.
const MAX_HEADERS: usize = 64;

/// The documents that a listener serves over HTTP, beside JSON-RPC.
pub trait HttpDocuments: fmt::Debug + Send + Sync {
    /// The document at a path, such as `/metrics`; `None` if there is none.
    fn find(&self, path: &str) -> Option<BoxFuture<'static, HttpDocument>>;
}

/// The content of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpDocument {
    pub content_type: &'static str,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HttpStatus {
    Ok,
    BadRequest,
    NotFound,
    MethodNotAllowed,
    TooLarge,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
enum HttpRequest {
    Get { path: String },
    OtherMethod,
    Malformed,
}

/// Reads a request and answers it. A peer that is slow or gone gets no answer.
pub(crate) async fn serve<R, W>(
    mut reader: R,
    writer: W,
    documents: &dyn HttpDocuments,
    limits: &RpcLimits,
) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Send,
{
    let reading = timeout(limits.partial_frame, read_head(&mut reader));
    let head = reading.await.map_err(|_| io::ErrorKind::TimedOut)??;
    let (status, document) = match head.as_deref().map(parse) {
        None => (HttpStatus::TooLarge, None),
        Some(HttpRequest::Malformed) => (HttpStatus::BadRequest, None),
        Some(HttpRequest::OtherMethod) => (HttpStatus::MethodNotAllowed, None),
        Some(HttpRequest::Get { path }) => match documents.find(&path) {
            None => (HttpStatus::NotFound, None),
            Some(document) => (HttpStatus::Ok, Some(document.await)),
        },
    };
    let document = document.unwrap_or_else(|| status.document());
    write(writer, status, &document, limits.write_timeout).await
}

/// Reads to the end of the header lines; `None` if they are too long.
async fn read_head(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut limited = reader.take(MAX_REQUEST as u64);
    while !ends_head(&head) {
        if limited.read_buf(&mut head).await? > 0 {
            continue;
        }
        return if head.len() == MAX_REQUEST {
            Ok(None)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        };
    }
    Ok(Some(head))
}

/// Returns whether there is an empty line. Lines may end with a line feed alone.
fn ends_head(head: &[u8]) -> bool {
    let lines = || memchr::memchr_iter(b'\n', head);
    lines().any(|at| matches!(&head[at + 1..], [b'\n', ..] | [b'\r', b'\n', ..]))
}

fn parse(head: &[u8]) -> HttpRequest {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(_)) = request.parse(head) else {
        return HttpRequest::Malformed;
    };
    match (request.method, request.path) {
        (Some("GET"), Some(target)) => HttpRequest::Get {
            // The query is for other servers behind the same configuration of a scraper.
            path: target.split('?').next().unwrap_or_default().to_owned(),
        },
        _ => HttpRequest::OtherMethod,
    }
}

async fn write(
    writer: impl AsyncWrite + Send,
    status: HttpStatus,
    document: &HttpDocument,
    limit: Duration,
) -> io::Result<()> {
    let mut writer = TimeoutWriter::new(writer);
    writer.set_timeout(Some(limit));
    let mut writer = std::pin::pin!(writer);
    let head = format!(
        "HTTP/1.1 {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        status.line(),
        status.extra_header(),
        document.content_type,
        document.text.len()
    );
    writer.write_all(head.as_bytes()).await?;
    writer.write_all(document.text.as_bytes()).await?;
    writer.shutdown().await
}

impl HttpStatus {
    const fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::TooLarge => "431 Request Header Fields Too Large",
        }
    }

    const fn extra_header(self) -> &'static str {
        match self {
            Self::MethodNotAllowed => "Allow: GET\r\n",
            _ => "",
        }
    }

    /// The answer's text where there is no document: never a part of the request.
    fn document(self) -> HttpDocument {
        HttpDocument {
            content_type: "text/plain; charset=utf-8",
            text: format!("{}\n", self.line()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> HttpRequest {
        HttpRequest::Get { path: path.into() }
    }

    #[test]
    fn a_request_is_its_method_and_its_path() {
        assert_eq!(
            parse(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
            get("/metrics")
        );
        assert_eq!(parse(b"GET /metrics HTTP/1.0\n\n"), get("/metrics"));
        assert_eq!(parse(b"GET /metrics?a=b HTTP/1.1\r\n\r\n"), get("/metrics"));
        assert_eq!(
            parse(b"GIVE /metrics HTTP/1.1\r\n\r\n"),
            HttpRequest::OtherMethod
        );
        for malformed in [
            &b"GET /metrics\r\n\r\n"[..],
            b"GET  HTTP/1.1\r\n\r\n",
            b"G\0T / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nno header\r\n\r\n",
        ] {
            assert_eq!(parse(malformed), HttpRequest::Malformed, "{malformed:?}");
        }
    }

    #[test]
    fn a_head_ends_with_an_empty_line() {
        assert!(ends_head(b"GET / HTTP/1.1\r\n\r\n"));
        assert!(ends_head(b"GET / HTTP/1.1\n\nrest"));
        for open in [
            &b"GET / HTTP/1.1\r\n"[..],
            b"GET / HTTP/1.1\r\n\r",
            b"\n",
            b"",
        ] {
            assert!(!ends_head(open), "{open:?}");
        }
    }
}
