use std::time::Duration;

use scorel_proto::{
    ClientId, ErrorCode, GetStatus, Hello, HelloParams, HelloResult, Method, ProtocolRange,
};
use serde::Deserialize;
use tokio::time::timeout;

use super::Connection;
use crate::ClientError;

/// How long a daemon may take to greet. Only one that hangs takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The part of the daemon's status that every version has.
#[derive(Deserialize)]
struct Versions {
    version: String,
    protocol: ProtocolRange,
}

impl Connection {
    /// Says who this client is and agrees on a protocol version.
    ///
    /// # Errors
    ///
    /// [`ClientError::Incompatible`] if there is no common version, [`ClientError::Unresponsive`]
    /// if no answer comes for ten seconds, and those of [`Connection::call`].
    pub async fn hello(&self, client_id: Option<ClientId>) -> Result<HelloResult, ClientError> {
        timeout(PATIENCE, self.greet(client_id))
            .await
            .unwrap_or(Err(ClientError::Unresponsive))
    }

    async fn greet(&self, client_id: Option<ClientId>) -> Result<HelloResult, ClientError> {
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
            status.and_then(|status| serde_json::from_str::<Versions>(status.get()).ok());
        ClientError::Incompatible {
            daemon: versions.as_ref().map(|versions| versions.protocol),
            version: versions.map(|versions| versions.version),
        }
    }
}
