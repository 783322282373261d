use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ClientId;

/// The name that a client gave with `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientName {
    /// The client, as events name it.
    pub client_id: ClientId,
    /// Its name, for people.
    pub name: String,
}
