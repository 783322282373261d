use std::time::Duration;

use scorel_proto::{
    ClientId, ErrorCode, GetStatus, Hello, HelloParams, HelloResult, Method, ProtocolRange,
};
use serde::Deserialize;
use tokio::time::timeout;

use super::Connection;
use crate::ClientError;

/// How long the handshake may take. `hello` touches no disk, so a daemon that takes longer hangs.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// The part of the daemon's status that every protocol version has.
#[derive(Deserialize)]
struct DaemonVersions {
    version: String,
    protocol: ProtocolRange,
}

impl Connection {
    /// Performs the handshake: announces `client_id` and negotiates the protocol version.
    ///
    /// # Errors
    ///
    /// [`ClientError::Incompatible`] if there is no common version, [`ClientError::Unresponsive`] if
    /// no reply comes within ten seconds, and those of [`Connection::call`].
    pub async fn hello(&self, client_id: Option<ClientId>) -> Result<HelloResult, ClientError> {
        self.greet(client_id, None, HELLO_TIMEOUT).await
    }

    /// The same, with a name for people, who see it beside what the client did.
    ///
    /// # Errors
    ///
    /// As [`Connection::hello`].
    pub async fn hello_as(
        &self,
        client_id: ClientId,
        name: &str,
    ) -> Result<HelloResult, ClientError> {
        self.greet(Some(client_id), Some(name), HELLO_TIMEOUT).await
    }

    /// The handshake, with a time limit.
    pub(crate) async fn greet(
        &self,
        client_id: Option<ClientId>,
        name: Option<&str>,
        limit: Duration,
    ) -> Result<HelloResult, ClientError> {
        timeout(limit, self.negotiate(client_id, name))
            .await
            .unwrap_or(Err(ClientError::Unresponsive))
    }

    async fn negotiate(
        &self,
        client_id: Option<ClientId>,
        name: Option<&str>,
    ) -> Result<HelloResult, ClientError> {
        let mut params = HelloParams {
            client_id,
            name: name.map(str::to_owned),
            protocol: ProtocolRange::SUPPORTED,
        };
        let mut answer = self.call::<Hello>(&params).await;
        // A daemon of an older version knows no names, and refuses what it does not know.
        if let Err(ClientError::Rpc(error)) = &answer
            && error.code == ErrorCode::InvalidParams
            && params.name.take().is_some()
        {
            answer = self.call::<Hello>(&params).await;
        }
        match answer {
            Err(ClientError::Rpc(error)) if error.code == ErrorCode::ProtocolMismatch => {
                Err(self.mismatch().await)
            }
            answer => answer,
        }
    }

    async fn mismatch(&self) -> ClientError {
        let status = self.call_raw(GetStatus::NAME, None).await.ok();
        let versions =
            status.and_then(|status| serde_json::from_str::<DaemonVersions>(status.get()).ok());
        ClientError::Incompatible {
            daemon: versions.as_ref().map(|versions| versions.protocol),
            version: versions.map(|versions| versions.version),
        }
    }
}
