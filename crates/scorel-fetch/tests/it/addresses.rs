use std::sync::Arc;
use std::sync::atomic::Ordering;

use scorel_fetch::{FetchError, FetchLimits, Fetched, Fetcher};

use crate::server::{Server, Told, redirect, typed};

fn is_not_public(fetched: &Result<Fetched, FetchError>) -> bool {
    matches!(fetched, Err(FetchError::NotPublic(_)))
}

#[tokio::test]
async fn loopback_addresses_are_refused_unless_allowed() {
    let server = Server::new(|_| typed("text/plain", "secret")).await;
    let fetcher = server.fetcher(FetchLimits::default());
    let fetcher = fetcher.allowing(&[]);
    let port = server.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0",
    ] {
        let fetched = fetcher.fetch(&format!("http://{host}:{port}/")).await;
        assert!(is_not_public(&fetched), "{host}: {fetched:?}");
    }
    assert_eq!(server.requests(), [""; 0]);
    let fetcher = fetcher.allowing(&[format!("localhost:{port}").parse().unwrap()]);
    let fetched = fetcher.fetch(&format!("http://localhost:{port}/")).await;
    assert!(matches!(fetched, Ok(Fetched::Page(_))), "{fetched:?}");
}

#[tokio::test]
async fn a_public_name_with_a_private_address_is_refused() {
    let server = Server::new(|_| typed("text/plain", "secret")).await;
    let port = server.address.port();
    for addresses in [
        &["127.0.0.1"][..],
        &["10.0.0.1", "192.168.0.1", "127.0.0.1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        &["::1"],
    ] {
        let fetcher = Fetcher::new(Told::new(addresses), FetchLimits::default());
        let fetched = fetcher.fetch(&format!("http://example.com:{port}/")).await;
        assert!(is_not_public(&fetched), "{addresses:?}: {fetched:?}");
    }
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn an_allowed_name_leads_to_the_address_that_was_resolved_once() {
    let server = Server::new(|_| typed("text/plain", "page")).await;
    let told = Told::new(&["127.0.0.1"]);
    let fetcher = Fetcher::new(Arc::clone(&told) as _, FetchLimits::default());
    let host = format!("wiki.lan:{}", server.address.port());
    let fetcher = fetcher.allowing(&[host.parse().unwrap()]);
    let fetched = fetcher.fetch(&format!("http://{host}/")).await;
    assert!(matches!(fetched, Ok(Fetched::Page(_))), "{fetched:?}");
    assert_eq!(told.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_permission_covers_one_name_and_one_port() {
    let server = Server::new(|_| typed("text/plain", "page")).await;
    let fetcher = Fetcher::new(Told::new(&["127.0.0.1"]), FetchLimits::default());
    let port = server.address.port();
    let fetcher = fetcher.allowing(&["wiki.lan:1".parse().unwrap(), "other.lan".parse().unwrap()]);
    for host in ["wiki.lan", "sub.other.lan", "other.lan.evil.org"] {
        let fetched = fetcher.fetch(&format!("http://{host}:{port}/")).await;
        assert!(is_not_public(&fetched), "{host}: {fetched:?}");
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_reported() {
    let fetcher = Fetcher::new(Told::new(&[]), FetchLimits::default());
    let fetched = fetcher.fetch("http://example.com/?token=secret").await;
    let error = fetched.unwrap_err();
    assert!(matches!(&error, FetchError::Unreachable { host, .. } if host == "example.com"));
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_judged() {
    // The same name on the same port, but the user's permission has ended meanwhile.
    let server = Server::new(|path| match path {
        "/" => redirect("302 Found", "http://[::ffff:127.0.0.1]:1/"),
        _ => typed("text/plain", "secret"),
    })
    .await;
    let fetched = server.fetch("/").await;
    assert!(
        matches!(fetched, Ok(Fetched::Elsewhere { .. })),
        "{fetched:?}"
    );
}
