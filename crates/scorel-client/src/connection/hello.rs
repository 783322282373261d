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
        timeout(HELLO_TIMEOUT, self.negotiate(client_id))
            .await
            .unwrap_or(Err(ClientError::Unresponsive))
    }

    async fn negotiate(&self, client_id: Option<ClientId>) -> Result<HelloResult, ClientError> {
        let params = HelloParams {
            client_id,
            protocol: ProtocolRange::SUPPORTED,
        };
        match self.call::<Hello>(&params).await {
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
