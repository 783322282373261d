//! Ids: a prefix for the kind, and a ULID.
//!
//! Ids are 16 bytes in memory and text only on the wire. Parsing accepts exactly the canonical text
//! that formatting produces, so a parsed id is safe as a path component.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;

use crate::as_text::as_text;
use crate::invalid_text::InvalidText;

/// Parses the canonical text of a ULID: 26 upper-case Crockford digits. The `ulid` crate also
/// accepts other spellings, which would give one id several names.
fn parse_ulid(text: &str) -> Option<Ulid> {
    let ulid = Ulid::from_string(text).ok()?;
    (ulid.to_string() == text).then_some(ulid)
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal, $expected:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The prefix of this kind of id, including the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Generates an id from the clock and the system's random source.
            pub fn generate() -> Self {
                Self(Ulid::generate().to_bytes())
            }

            /// When it was generated, in milliseconds since 1970.
            pub const fn timestamp_ms(self) -> u64 {
                Ulid::from_bytes(self.0).timestamp_ms()
            }

            /// The 16 bytes of the ULID, for compact storage.
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0
            }

            /// The inverse of [`Self::to_bytes`].
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, Ulid::from_bytes(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidText;

            fn from_str(text: &str) -> Result<Self, InvalidText> {
                text.strip_prefix($prefix)
                    .and_then(parse_ulid)
                    .map(|ulid| Self(ulid.to_bytes()))
                    .ok_or_else(|| InvalidText::new(text, $expected))
            }
        }

        as_text!($name, concat!("^", $prefix, "[0-7][0-9A-HJKMNP-TV-Z]{25}$"), $expected);
    )*};
}

ids! {
    /// A machine with its daemon.
    DeviceId, "dev_", "a device id (`dev_` and a ULID)";
    /// A registered directory.
    ProjectId, "prj_", "a project id (`prj_` and a ULID)";
    /// A conversation with its log.
    SessionId, "ses_", "a session id (`ses_` and a ULID)";
    /// A persistent event.
    EventId, "evt_", "an event id (`evt_` and a ULID)";
    /// A turn.
    TurnId, "trn_", "a turn id (`trn_` and a ULID)";
    /// A queued message.
    QueueItemId, "que_", "a queue item id (`que_` and a ULID)";
    /// A compaction.
    CompactionId, "cmp_", "a compaction id (`cmp_` and a ULID)";
    /// A permission request.
    PermissionRequestId, "prm_", "a permission request id (`prm_` and a ULID)";
    /// A task that a session has given to an agent.
    AgentTaskId, "rti_", "a runtime id (`rti_` and a ULID)";
    /// A run of a workflow.
    RunId, "run_", "a run id (`run_` and a ULID)";
}

/// The author of an event: the daemon, or a client installation.
///
/// A client generates its id once per installation and stores it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientId {
    /// The daemon itself, `daemon` on the wire.
    Daemon,
    /// A client installation, `cli_` and a ULID on the wire.
    Client([u8; 16]),
}

impl ClientId {
    const EXPECTED: &'static str = "a client id (`cli_` and a ULID)";

    /// Generates a client id from the clock and the system's random source.
    pub fn generate() -> Self {
        Self::Client(Ulid::generate().to_bytes())
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Daemon => f.write_str("daemon"),
            Self::Client(bytes) => write!(f, "cli_{}", Ulid::from_bytes(*bytes)),
        }
    }
}

impl fmt::Debug for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ClientId {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        if text == "daemon" {
            return Ok(Self::Daemon);
        }
        text.strip_prefix("cli_")
            .and_then(parse_ulid)
            .map(|ulid| Self::Client(ulid.to_bytes()))
            .ok_or_else(|| InvalidText::new(text, Self::EXPECTED))
    }
}

as_text!(
    ClientId,
    "^(daemon|cli_[0-7][0-9A-HJKMNP-TV-Z]{25})$",
    "`daemon`, or a client id (`cli_` and a ULID)"
);

/// The idempotency key of a command: 1 to 128 visible ASCII characters, generated by the client.
///
/// A command is applied once per client id and command id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(String);

impl CommandId {
    const EXPECTED: &'static str = "a command id (1 to 128 visible ASCII characters)";

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CommandId {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=128).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidText::new(text, Self::EXPECTED))
        }
    }
}

as_text!(CommandId, "^[!-~]{1,128}$", Self::EXPECTED);

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: FromStr<Err = InvalidText> + fmt::Debug>(texts: &[&str]) {
        for text in texts {
            assert!(text.parse::<T>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn an_id_is_read_back_from_its_text() {
        let id = SessionId::generate();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(SessionId::from_bytes(id.to_bytes()), id);
        let client = ClientId::generate();
        assert_eq!(client.to_string().parse(), Ok(client));
        assert_eq!("daemon".parse(), Ok(ClientId::Daemon));
    }

    #[test]
    fn only_the_canonical_text_is_an_id() {
        refused::<SessionId>(&[
            "",
            "ses_",
            "../x",
            "ses_../../../../../../../../ab",
            "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "ses_01arz3ndektsv4rrffq69g5fav",
            "ses_01ARZ3NDEKTSV4RRFFQ69G5FAI",
            "ses_81ARZ3NDEKTSV4RRFFQ69G5FAV",
            "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV ",
            "ses_01ARZ3NDEKTSV4RRFFQ69G5FA\u{0}",
        ]);
        refused::<ClientId>(&["Daemon", "cli_", "cli_x", ""]);
        refused::<CommandId>(&["", "a b", "é", "\n", &"x".repeat(129)]);
    }

    #[test]
    fn a_refused_id_says_what_it_should_be() {
        let error = "x".parse::<SessionId>().expect_err("not an id");
        assert_eq!(
            error.to_string(),
            "`x` is not a session id (`ses_` and a ULID)"
        );
    }
}
