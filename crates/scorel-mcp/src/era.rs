use serde_json::{Value, json};

/// The version whose requests stand alone.
const STATELESS: &str = "2026-07-28";

/// The versions that begin with `initialize`, the newest first.
const HANDSHAKES: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The two ways to speak with a client. Each request says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// A connection that begins with `initialize`.
    Handshake,
    /// Requests that stand alone.
    Stateless,
}

/// A request says a version that is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnservedVersion(pub(crate) String);

impl UnservedVersion {
    /// The protocol's code of the error.
    pub(crate) const CODE: i64 = -32022;

    pub(crate) fn data(&self) -> Value {
        json!({"supported": [STATELESS], "requested": self.0})
    }
}

impl Era {
    /// The era of a request with these parameters.
    pub(crate) fn of(params: &Value) -> Result<Self, UnservedVersion> {
        match &params["_meta"][VERSION_KEY] {
            Value::Null => Ok(Self::Handshake),
            Value::String(version) if version == STATELESS => Ok(Self::Stateless),
            other => Err(UnservedVersion(
                other
                    .as_str()
                    .map_or_else(|| other.to_string(), str::to_owned),
            )),
        }
    }

    /// Adds to a result what each of this era has.
    pub(crate) fn complete(self, mut result: Value) -> Value {
        if self == Self::Stateless {
            result["resultType"] = json!("complete");
            result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server_info()});
        }
        result
    }
}

/// The result of `initialize`: the client's version if it is served, else the newest that is.
pub(crate) fn initialized(params: &Value, instructions: Option<&str>) -> Value {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    let served = HANDSHAKES.iter().find(|version| **version == wanted);
    let mut result = json!({
        "protocolVersion": served.unwrap_or(&HANDSHAKES[0]),
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
    });
    if let Some(instructions) = instructions {
        result["instructions"] = instructions.into();
    }
    result
}

/// The result of `server/discover`.
pub(crate) fn discovered(instructions: Option<&str>) -> Value {
    let mut result = json!({
        "supportedVersions": [STATELESS],
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "ttlMs": 0,
        "cacheScope": "private",
    });
    if let Some(instructions) = instructions {
        result["instructions"] = instructions.into();
    }
    result
}

fn server_info() -> Value {
    json!({"name": "scorel", "title": "Scorel", "version": env!("CARGO_PKG_VERSION")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_its_era_and_a_handshake_its_version() {
        let said = |version: &Value| json!({"_meta": {VERSION_KEY: version}});
        assert_eq!(Era::of(&json!({})), Ok(Era::Handshake));
        assert_eq!(Era::of(&said(&json!("2026-07-28"))), Ok(Era::Stateless));
        let newer = Era::of(&said(&json!("2030-01-01"))).unwrap_err();
        assert_eq!(newer.data()["requested"], "2030-01-01");
        for (wanted, got) in [("2025-03-26", "2025-03-26"), ("2030-01-01", "2025-11-25")] {
            let result = initialized(&json!({"protocolVersion": wanted}), None);
            assert_eq!(result["protocolVersion"], got);
        }
    }
}
