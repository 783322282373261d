use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::gate::ResponseGate;
use super::request::RecordedRequest;
use super::response::{ResponseStep, ScriptedResponse};
use super::state::ServerState;

/// The largest accepted request body, in bytes.
const BODY_LIMIT: usize = 64 << 20;

/// Answers the requests of one connection, one after another.
pub(super) async fn serve(socket: TcpStream, number: usize, state: Arc<ServerState>) {
    // Without Nagle's algorithm every write reaches the client by itself, as tests expect.
    if socket.set_nodelay(true).is_err() {
        return;
    }
    let mut connection = ServerConnection {
        socket: BufReader::new(socket),
        number,
    };
    while let Ok(Some(request)) = connection.read().await {
        let answer = state.take(request);
        if connection.respond(&answer).await.is_err() {
            return;
        }
    }
}

struct ServerConnection {
    socket: BufReader<TcpStream>,
    number: usize,
}

impl ServerConnection {
    /// The next request; `None` when the client closed the connection.
    async fn read(&mut self) -> io::Result<Option<RecordedRequest>> {
        let Some(line) = self.line().await? else {
            return Ok(None);
        };
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next(), words.next());
        let headers = self.headers().await?;
        let mut request = RecordedRequest {
            connection: self.number,
            method: method.unwrap_or_default(),
            path: path.unwrap_or_default(),
            headers,
            body: Vec::new(),
        };
        request.body = self.body(&request).await?;
        Ok(Some(request))
    }

    async fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        if self.socket.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }

    async fn headers(&mut self) -> io::Result<Vec<(String, String)>> {
        let mut headers = Vec::new();
        while let Some(line) = self.line().await?.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(headers)
    }

    /// Reads a body by `content-length`; chunked requests are not supported.
    async fn body(&mut self, request: &RecordedRequest) -> io::Result<Vec<u8>> {
        let length = request.header("content-length").unwrap_or("0");
        let length: usize = length.parse().map_err(io::Error::other)?;
        if length > BODY_LIMIT {
            return Err(io::Error::other("the request body is too large"));
        }
        let mut body = vec![0; length];
        self.socket.read_exact(&mut body).await?;
        Ok(body)
    }

    async fn respond(&mut self, answer: &ScriptedResponse) -> io::Result<()> {
        if let Some(gate) = &answer.hold {
            self.wait(gate).await?;
        }
        self.head(answer).await?;
        for step in &answer.steps {
            match step {
                ResponseStep::Write(bytes) => {
                    for part in bytes.chunks(answer.write_size()) {
                        self.chunk(part).await?;
                    }
                }
                ResponseStep::Wait(gate) => self.wait(gate).await?,
                ResponseStep::Cut => return Err(io::ErrorKind::ConnectionAborted.into()),
            }
        }
        self.send(b"0\r\n\r\n").await
    }

    async fn head(&mut self, answer: &ScriptedResponse) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        self.send(head.as_bytes()).await
    }

    async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.send(&chunk).await
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let socket = self.socket.get_mut();
        socket.write_all(bytes).await?;
        socket.flush().await
    }

    /// Waits for the gate to open, or for the client to close the connection.
    async fn wait(&mut self, gate: &ResponseGate) -> io::Result<()> {
        tokio::select! {
            () = gate.pass() => Ok(()),
            read = self.socket.fill_buf() => match read {
                Ok(bytes) if !bytes.is_empty() => {
                    Err(io::Error::other("a second request before the response to the first"))
                }
                Ok(_) | Err(_) => {
                    gate.abandon();
                    Err(io::ErrorKind::ConnectionAborted.into())
                }
            },
        }
    }
}
