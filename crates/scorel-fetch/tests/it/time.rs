use std::time::Duration;

use scorel_fetch::{FetchError, FetchLimits};

use crate::server::Server;

#[tokio::test]
async fn a_silent_server_times_out() {
    let limit = Duration::from_millis(200);
    let limits = FetchLimits {
        total: limit,
        ..FetchLimits::default()
    };
    let mut server = Server::new(|path| match path {
        "/nothing" => Server::SILENCE.to_vec(),
        "/head" => [
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n",
            Server::SILENCE,
        ]
        .concat(),
        _ => [
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf",
            Server::SILENCE,
        ]
        .concat(),
    })
    .await;
    for path in ["/nothing", "/head", "/half"] {
        let fetched = server.fetcher(limits).fetch(&server.url(path)).await;
        assert_eq!(fetched, Err(FetchError::TimedOut(limit)), "{path}");
        server.ended.recv().await.unwrap();
    }
}

#[tokio::test]
async fn a_refused_connection_is_reported() {
    let server = Server::new(|_| Vec::new()).await;
    let error = server.fetch("/?key=secret").await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}
