use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use scorel_fetch::{FetchError, FetchLimits, Fetched};

use crate::server::{Server, response, typed};

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn encoded(encoding: &str, body: &[u8]) -> Vec<u8> {
    let headers = format!("content-type: text/plain\r\ncontent-encoding: {encoding}\r\n");
    response("200 OK", &headers, body)
}

#[tokio::test]
async fn text_is_answered_as_it_is() {
    let server = Server::new(|path| match path {
        "/json" => typed("application/json", "{\"a\": \"<b>\"}"),
        "/latin" => typed("text/plain; charset=iso-8859-1", b"caf\xe9"),
        "/untyped" => response("200 OK", "", b"# plain"),
        _ => typed("text/x-rust", "fn main() {}"),
    })
    .await;
    assert_eq!(server.page("/json").await.text, "{\"a\": \"<b>\"}");
    assert_eq!(server.page("/latin").await.text, "café");
    assert_eq!(server.page("/untyped").await.text, "# plain");
    assert_eq!(server.page("/rust").await.text, "fn main() {}");
}

#[tokio::test]
async fn what_is_not_text_is_refused_before_it_is_read() {
    let server = Server::new(|path| match path {
        "/png" => [
            b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n",
            Server::SILENCE,
        ]
        .concat(),
        "/lie" => typed("text/plain", b"\x7fELF\0\0\0"),
        _ => response("200 OK", "", b"\x89PNG\0\0"),
    })
    .await;
    let not_text = |kind: &str| Err(FetchError::NotText(kind.to_owned()));
    assert_eq!(server.fetch("/png").await, not_text("`image/png`"));
    assert_eq!(server.fetch("/lie").await, not_text("binary data"));
    assert_eq!(server.fetch("/untyped").await, not_text("binary data"));
}

#[tokio::test]
async fn compressed_pages_are_read() {
    let server = Server::new(|path| match path {
        "/gzip" => encoded("gzip", &gzip(b"some text")),
        "/two" => encoded("GZIP", &[gzip(b"some "), gzip(b"text")].concat()),
        "/zlib" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(b"some text").unwrap();
            encoded("deflate", &encoder.finish().unwrap())
        }
        "/broken" => encoded("gzip", b"not at all"),
        "/half" => encoded("gzip", &gzip(b"some text")[..15]),
        _ => encoded("br", b"x"),
    })
    .await;
    for path in ["/gzip", "/two", "/zlib"] {
        let page = server.page(path).await;
        assert_eq!(
            (page.text.as_str(), page.bytes, page.is_cut),
            ("some text", 9, false),
            "{path}"
        );
    }
    for path in ["/broken", "/half", "/brotli"] {
        let fetched = server.fetch(path).await;
        assert!(
            matches!(fetched, Err(FetchError::Encoding(_))),
            "{path}: {fetched:?}"
        );
    }
}

#[tokio::test]
async fn a_page_is_read_up_to_the_limit() {
    const LIMIT: usize = 100_000;
    let limits = FetchLimits {
        body: LIMIT,
        ..FetchLimits::default()
    };
    let server = Server::new(|path| match path {
        "/fits" => typed("text/plain", vec![b'x'; LIMIT]),
        "/bomb" => encoded("gzip", &gzip(&vec![b'x'; 64 << 20])),
        // Never ends, and says nothing of its length.
        "/endless" => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n";
            [&head[..], &[b'x'; 2 * LIMIT], Server::SILENCE].concat()
        }
        _ => typed("text/plain", vec![b'x'; LIMIT + 1]),
    })
    .await;
    let fetcher = server.fetcher(limits);
    for (path, is_longer) in [
        ("/fits", false),
        ("/longer", true),
        ("/bomb", true),
        ("/endless", true),
    ] {
        match fetcher.fetch(&server.url(path)).await {
            Ok(Fetched::Page(page)) => {
                assert_eq!(
                    (page.text.len(), page.bytes),
                    (LIMIT, LIMIT as u64),
                    "{path}"
                );
                assert_eq!(page.is_cut, is_longer, "{path}");
            }
            fetched => panic!("{path}: {fetched:?}"),
        }
    }
}

#[tokio::test]
async fn endless_empty_gzip_members_are_cut_off() {
    let limits = FetchLimits {
        body: 10_000,
        ..FetchLimits::default()
    };
    let server = Server::new(|_| encoded("gzip", &gzip(b"").repeat(10_000))).await;
    match server.fetcher(limits).fetch(&server.url("/")).await {
        Ok(Fetched::Page(page)) => assert!(page.is_cut && page.text.is_empty()),
        fetched => panic!("{fetched:?}"),
    }
}

#[tokio::test]
async fn a_truncated_body_is_reported() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf";
    let server = Server::new(move |_| head.into()).await;
    let error = server.fetch("/?key=secret").await.unwrap_err();
    assert!(matches!(error, FetchError::Cut { .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}
