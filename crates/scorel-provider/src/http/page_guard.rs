//! Recognises a web page where an event stream was to come.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use super::body::{BodyError, BodyStream};
use super::html_page;

/// The part of a page that is read for its title, in bytes.
const PAGE_LIMIT: usize = 64 << 10;

/// The body, or an error if it is a web page. The content type does not decide: some hosts stream
/// events as text/html.
pub(super) fn no_page(headers: &HeaderMap, body: BodyStream) -> BodyStream {
    let named = headers.get(CONTENT_TYPE);
    let named = named.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let content_type = named.unwrap_or_else(|| "no content type".to_owned());
    let checked = async move {
        let mut begin = BodyBegin {
            items: Vec::new(),
            bytes: Vec::new(),
            rest: body.fuse().boxed(),
        };
        begin
            .read_while(|bytes| bytes.trim_ascii_start().is_empty())
            .await;
        if let Some(summary) = begin.page_summary().await {
            let page = BodyError::Page {
                content_type,
                summary,
            };
            return stream::iter([Err(page)]).boxed();
        }
        stream::iter(begin.items).chain(begin.rest).boxed()
    };
    stream::once(checked).flatten().boxed()
}

/// A body whose first chunks were read and can be read again.
struct BodyBegin {
    items: Vec<Result<Bytes, BodyError>>,
    bytes: Vec<u8>,
    rest: BodyStream,
}

impl BodyBegin {
    async fn read_while(&mut self, goes_on: impl Fn(&[u8]) -> bool) {
        while goes_on(&self.bytes) && self.bytes.len() < PAGE_LIMIT {
            let Some(item) = self.rest.next().await else {
                return;
            };
            let is_end = item.is_err();
            self.bytes.extend(item.iter().flatten());
            self.items.push(item);
            if is_end {
                return;
            }
        }
    }

    /// Reads on if this may be a page, and what it says if it is one.
    async fn page_summary(&mut self) -> Option<String> {
        let text = self.bytes.trim_ascii_start();
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        if !text.starts_with(b"<") {
            return None;
        }
        self.read_while(|_| true).await;
        html_page::reduced(&String::from_utf8_lossy(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(chunks: &[&'static str]) -> Vec<Result<Bytes, BodyError>> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "text/html".parse().expect("a value"));
        let chunks: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::from(*chunk))).collect();
        let body = no_page(&headers, stream::iter(chunks).boxed());
        body.collect().await
    }

    #[tokio::test]
    async fn a_page_is_named_with_its_type_and_title() {
        let chunks = [
            "\r\n",
            "<!doc",
            "type html><title>Log in</title><body>Your name</body>",
        ];
        let [Err(page @ BodyError::Page { .. })] = &read(&chunks).await[..] else {
            panic!("no page was found");
        };
        assert_eq!(
            page.to_string(),
            "the answer is not an event stream but a web page (text/html): Log in: Your name"
        );
    }

    #[tokio::test]
    async fn other_bodies_stay_as_they_are() {
        for chunks in [
            &["\n", "data: {}\n\n", "data: [DONE]\n\n"][..],
            &["<no page>\n", "data: {}\n\n"],
            &["{\"message\": \"<html>\"}"],
            &[" ", ""],
            &[],
        ] {
            let expected: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::from(*chunk))).collect();
            assert_eq!(read(chunks).await, expected);
        }
    }
}
