//! Private hosts that a permit names.

use std::sync::Arc;

use scorel_fetch::{FetchError, FetchLimits, Fetched, Fetcher};

use crate::server::{Server, Told, redirect, typed};

async fn permitted(fetcher: &Fetcher, url: &str) -> Result<Fetched, FetchError> {
    fetcher.fetch_permitted(url).await
}

#[tokio::test]
async fn a_permit_is_for_one_host_and_one_port() {
    let server = Server::new(|_| typed("text/plain", "page")).await;
    let fetcher = Fetcher::new(Told::new(&["127.0.0.1"]), FetchLimits::default());
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "wiki.lan", "wiki"] {
        let url = format!("http://{host}:{port}/");
        let fetched = permitted(&fetcher, &url).await;
        assert!(
            matches!(fetched, Ok(Fetched::Page(_))),
            "{url}: {fetched:?}"
        );
        let fetched = fetcher.fetch(&url).await;
        let refused = matches!(fetched, Err(FetchError::NotPublic(_)));
        assert!(refused, "the permit is used up: {url}: {fetched:?}");
    }
}

#[tokio::test]
async fn a_permitted_name_is_resolved_once() {
    let server = Server::new(|_| typed("text/plain", "page")).await;
    let told = Told::new(&["127.0.0.1"]);
    let fetcher = Fetcher::new(Arc::clone(&told) as _, FetchLimits::default());
    let url = format!("http://wiki.lan:{}/", server.address.port());
    let fetched = permitted(&fetcher, &url).await;
    assert!(matches!(fetched, Ok(Fetched::Page(_))), "{fetched:?}");
    assert_eq!(told.asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_redirect_leaves_the_permit_behind() {
    let other = Server::new(|_| typed("text/plain", "secret")).await;
    let port = other.address.port();
    let server = Server::new(move |path| match path {
        "/same" => redirect("302 Found", "/page"),
        "/port" => redirect("302 Found", &format!("http://127.0.0.1:{port}/")),
        "/name" => redirect("302 Found", &format!("http://localhost:{port}/")),
        "/secure" => redirect("302 Found", "https://127.0.0.1/"),
        _ => typed("text/plain", "page"),
    })
    .await;
    let fetcher = Fetcher::new(Told::new(&["127.0.0.1"]), FetchLimits::default());
    let fetched = permitted(&fetcher, &server.url("/same")).await;
    assert!(matches!(fetched, Ok(Fetched::Page(_))), "{fetched:?}");
    for path in ["/port", "/name", "/secure"] {
        let fetched = permitted(&fetcher, &server.url(path)).await;
        let is_elsewhere = matches!(fetched, Ok(Fetched::Elsewhere { .. }));
        assert!(is_elsewhere, "{path}: {fetched:?}");
    }
    assert_eq!(other.requests(), [""; 0]);
}
