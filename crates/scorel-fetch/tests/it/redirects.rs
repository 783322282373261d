use scorel_fetch::{FetchError, Fetched};

use crate::server::{Server, redirect, response, typed};

#[tokio::test]
async fn redirects_within_a_host_are_followed() {
    let server = Server::new(|path| match path {
        "/1" => redirect("301 Moved Permanently", "/2"),
        "/2" => redirect("302 Found", "3/../3?q=1"),
        "/3?q=1" => redirect("303 See Other", "?q=2"),
        "/3?q=2" => redirect("307 Temporary Redirect", "/5#part"),
        "/5" => redirect("308 Permanent Redirect", "/end"),
        _ => typed("text/plain", "the end"),
    })
    .await;
    let page = server.page("/1").await;
    assert_eq!(
        (page.url, page.text.as_str()),
        (server.url("/end"), "the end")
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    for request in &requests {
        let request = request.to_ascii_lowercase();
        assert!(
            !request.contains("referer") && !request.contains("cookie"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_answered() {
    let other = Server::new(|_| typed("text/plain", "secret")).await;
    let to = other.url("/x?y");
    let location = to.clone();
    let server = Server::new(move |path| match path {
        "/port" => redirect("301 Moved Permanently", &location),
        "/relative" => redirect("302 Found", "//example.com/x"),
        _ => redirect("302 Found", "http://169.254.169.254/latest"),
    })
    .await;
    for (path, expected, code) in [
        ("/port", to.as_str(), 301),
        ("/relative", "http://example.com/x", 302),
        ("/else", "http://169.254.169.254/latest", 302),
    ] {
        match server.fetch(path).await {
            Ok(Fetched::Elsewhere { status, from, to }) => {
                assert_eq!(
                    (status, from, to.as_str()),
                    (code, server.url(path), expected)
                );
            }
            fetched => panic!("{path}: {fetched:?}"),
        }
    }
    assert_eq!(other.requests(), [""; 0]);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let server = Server::new(|path| redirect("302 Found", &format!("{path}x"))).await;
    assert_eq!(server.fetch("/").await, Err(FetchError::Redirects(5)));
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn a_redirect_to_an_invalid_address_is_reported() {
    let server = Server::new(|path| match path {
        "/bad" => redirect("302 Found", "http://"),
        _ => response("302 Found", "content-type: text/plain\r\n", b"no location"),
    })
    .await;
    let error = server.fetch("/bad").await.unwrap_err();
    assert!(matches!(error, FetchError::BadRedirect(_)), "{error}");
    // Without an address it is only a page.
    let page = server.page("/none").await;
    assert_eq!((page.status, page.text.as_str()), (302, "no location"));
}
