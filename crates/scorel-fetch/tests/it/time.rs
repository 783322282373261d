use std::time::Duration;

use scorel_fetch::{FetchError, FetchLimits};

use crate::server::Server;

/// The time limits of a fetch, in turn: within the first ones a busy machine may not get as far as the
/// request.
const LIMITS: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(2),
    Duration::from_secs(20),
];

/// So that a connection that is not ended fails the test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_silent_server_times_out() {
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
    let mut ended = 0;
    for path in ["/nothing", "/head", "/half"] {
        time_out(&server, path).await;
        // A request of an earlier limit may have come late.
        while ended < server.requests().len() {
            let told = tokio::time::timeout(PATIENCE, server.ended.recv()).await;
            told.expect("the connection is ended").unwrap();
            ended += 1;
        }
    }
}

/// Fetches until the server has got the request before the time was up.
async fn time_out(server: &Server, path: &str) {
    let request = format!("GET {path} ");
    for total in LIMITS {
        let limits = FetchLimits {
            total,
            ..FetchLimits::default()
        };
        let fetched = server.fetcher(limits).fetch(&server.url(path)).await;
        assert_eq!(fetched, Err(FetchError::TimedOut(total)), "{path}");
        let requests = server.requests();
        if requests.iter().any(|head| head.starts_with(&request)) {
            return;
        }
    }
    panic!("{path} was never requested");
}

#[tokio::test]
async fn a_refused_connection_is_reported() {
    let server = Server::new(|_| Vec::new()).await;
    let error = server.fetch("/?key=secret").await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}
