//! A server of pages, and fetchers that may speak to it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use scorel_fetch::{FetchError, FetchLimits, Fetched, Fetcher, Lookup, SystemLookup, WebPage};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Serves what a function says, one request per connection.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    /// Told of each connection with a request that the client has ended.
    pub(crate) ended: mpsc::Receiver<()>,
}

impl Server {
    /// `answer` makes the bytes of a response from a path. What ends with [`Server::SILENCE`] goes
    /// no further: the connection stays open without another byte.
    pub(crate) async fn new(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (tell, ended) = mpsc::channel(64);
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (seen, answer, tell) = (Arc::clone(&seen), Arc::clone(&answer), tell.clone());
                tokio::spawn(async move {
                    if let Ok(path) = request(&mut stream, &seen).await {
                        let _ = serve(stream, &answer(&path)).await;
                        let _ = tell.send(()).await;
                    }
                });
            }
        });
        Self {
            address,
            requests,
            ended,
        }
    }

    pub(crate) const SILENCE: &'static [u8] = b"\0silence";

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// A fetcher that may speak to the server.
    pub(crate) fn fetcher(&self, limits: FetchLimits) -> Fetcher {
        let fetcher = Fetcher::new(Arc::new(SystemLookup), limits);
        fetcher.allowing(&[self.address.to_string().parse().unwrap()])
    }

    pub(crate) async fn fetch(&self, path: &str) -> Result<Fetched, FetchError> {
        self.fetcher(FetchLimits::default())
            .fetch(&self.url(path))
            .await
    }

    pub(crate) async fn page(&self, path: &str) -> WebPage {
        match self.fetch(path).await {
            Ok(Fetched::Page(page)) => page,
            other => panic!("{path}: {other:?}"),
        }
    }
}

/// Reads a request; returns its path.
async fn request(stream: &mut TcpStream, seen: &Mutex<Vec<String>>) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    seen.lock().unwrap().push(head);
    Ok(path)
}

async fn serve(mut stream: TcpStream, answer: &[u8]) -> io::Result<()> {
    match answer.strip_suffix(Server::SILENCE) {
        Some(answer) => {
            stream.write_all(answer).await?;
            stream.read_to_end(&mut Vec::new()).await?;
        }
        None => {
            stream.write_all(answer).await?;
            stream.shutdown().await?;
        }
    }
    Ok(())
}

/// A response with a body.
pub(crate) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// A response of a type.
pub(crate) fn typed(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response(
        "200 OK",
        &format!("content-type: {kind}\r\n"),
        body.as_ref(),
    )
}

/// A redirect.
pub(crate) fn redirect(status: &str, location: &str) -> Vec<u8> {
    response(status, &format!("location: {location}\r\n"), b"")
}

/// Says of every name that it has these addresses.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) asked: AtomicUsize,
}

impl Told {
    pub(crate) fn new(addresses: &[&str]) -> Arc<Self> {
        Arc::new(Self {
            addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
            asked: AtomicUsize::new(0),
        })
    }
}

impl Lookup for Told {
    fn lookup(
        &self,
        _: &str,
    ) -> std::pin::Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let addresses = self.addresses.clone();
        Box::pin(async move { Ok(addresses) })
    }
}
