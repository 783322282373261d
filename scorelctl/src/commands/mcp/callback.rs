//! The address to which a browser is sent after a login.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

use crate::failure::Failure;

/// Bytes of the head of a request.
const MAX_HEAD: usize = 16 * 1024;

/// The time that a browser may take for one.
const HEAD: Duration = Duration::from_secs(5);

const PATH: &str = "/callback";

const DONE: &str = "You can close this page and go back to the terminal.";

/// Waits on this machine for the browser of a login.
pub(super) struct Callback {
    listener: TcpListener,
    port: u16,
}

/// The parameters of the address to which a browser was sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CallbackQuery {
    pub(super) code: Option<String>,
    pub(super) state: Option<String>,
    pub(super) iss: Option<String>,
    pub(super) error: Option<String>,
}

impl Callback {
    /// Listens at a port, or at one that is free.
    pub(super) async fn listen(port: Option<u16>) -> Result<Self, Failure> {
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or_default())).await;
        let listener = listener.map_err(|error| {
            let port = port.map(|it| format!("port {it} of "));
            let place = port.unwrap_or_default();
            Failure::refused(
                "cannot_listen",
                format!("{place}127.0.0.1 cannot be used: {error}"),
            )
        })?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the browser, whatever else asks meanwhile.
    pub(super) async fn query(&self) -> io::Result<CallbackQuery> {
        loop {
            let (mut stream, _) = self.listener.accept().await?;
            let Ok(Ok(target)) = timeout(HEAD, target(&mut stream)).await else {
                continue;
            };
            let query = CallbackQuery::of(&format!("http://127.0.0.1{target}"));
            let (status, text) = match &query {
                Some(_) => ("200 OK", DONE),
                None => ("404 Not Found", "There is nothing here."),
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{text}",
                text.len()
            );
            // The browser has said what counts, also if it is gone by now.
            let _shown = timeout(HEAD, stream.write_all(answer.as_bytes())).await;
            if let Some(query) = query {
                return Ok(query);
            }
        }
    }
}

impl CallbackQuery {
    /// That of an address; `None` if it is another one than a login is sent to.
    pub(super) fn of(address: &str) -> Option<Self> {
        let url = Url::parse(address.trim()).ok()?;
        let mut query = Self::default();
        for (name, value) in url.query_pairs() {
            let field = match &*name {
                "code" => &mut query.code,
                "state" => &mut query.state,
                "iss" => &mut query.iss,
                "error" => &mut query.error,
                _ => continue,
            };
            *field = Some(value.into_owned());
        }
        let is_one = url.path() == PATH && query.state.is_some();
        is_one.then_some(query)
    }
}

/// The path and query that a browser asks for.
async fn target(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let mut chunk = [0; 1024];
        let count = stream.read(&mut chunk).await?;
        head.extend_from_slice(&chunk[..count]);
        if count == 0 || head.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut words = head.split_whitespace();
    match (words.next(), words.next()) {
        (Some("GET"), Some(target)) => Ok(target.to_owned()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_login_has_its_parameters() {
        let address = "http://127.0.0.1:9/callback?code=a%2Bb&state=s&iss=https%3A%2F%2Fx";
        let query = CallbackQuery::of(address).unwrap();
        assert_eq!(query.code.as_deref(), Some("a+b"));
        assert_eq!(query.iss.as_deref(), Some("https://x"));
        assert_eq!(CallbackQuery::of("http://127.0.0.1:9/favicon.ico"), None);
        assert_eq!(CallbackQuery::of("nothing"), None);
    }
}
