use std::time::Duration;

use scorel_peer::{EnvelopeLimits, FrameLimits};
use serde::Deserialize;

const MIB: usize = 1024 * 1024;

/// Limits of one connection, except for `connections`. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RpcLimits {
    /// The largest frame that is read. A larger one ends the connection.
    pub frame_in: usize,
    /// The largest reply; a larger one is replaced by an error.
    pub frame_out: usize,
    /// Nesting of arrays and objects in a frame.
    pub nesting: usize,
    /// Entries of a batch.
    pub batch: usize,
    /// JSON values in the params of a call, containers included.
    pub values: usize,
    /// Connections of the service.
    pub connections: usize,
    /// Calls in flight; a batch counts as one. At the limit the connection is not read. As many calls to
    /// the client may be open; a further one waits.
    pub calls: usize,
    /// Total size of the frames of calls in flight, and of their replies where
    /// [`MethodSpec::reply`](crate::MethodSpec::reply) says that they are large. At the limit the
    /// connection is not read until calls are answered; the last call may exceed it.
    pub in_flight: usize,
    pub subscriptions: usize,
    /// Total size of the texts that are queued or being written. At the limit pumps and replies wait,
    /// and so, through `calls` and `in_flight`, does reading.
    pub outbox: usize,
    /// How long the client may read nothing while there is something to write.
    #[serde(rename = "write_timeout_seconds", deserialize_with = "seconds")]
    pub write_timeout: Duration,
    /// From a frame's first byte to its last.
    #[serde(rename = "partial_frame_seconds", deserialize_with = "seconds")]
    pub partial_frame: Duration,
    /// How long calls in flight may go on when the connection ends.
    #[serde(rename = "drain_seconds", deserialize_with = "seconds")]
    pub drain: Duration,
}

impl Default for RpcLimits {
    fn default() -> Self {
        Self {
            frame_in: 8 * MIB,
            frame_out: 16 * MIB,
            nesting: 64,
            batch: 50,
            values: 4096,
            connections: 128,
            calls: 64,
            in_flight: 16 * MIB,
            subscriptions: 64,
            outbox: MIB,
            write_timeout: Duration::from_secs(30),
            partial_frame: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{limit}` must be between {min} and {max}")]
pub struct InvalidLimits {
    pub limit: &'static str,
    /// The smallest value with which the protocol's own requests and replies fit.
    pub min: usize,
    pub max: usize,
}

impl RpcLimits {
    pub(crate) const fn envelope(&self) -> EnvelopeLimits {
        EnvelopeLimits {
            nesting: self.nesting,
            batch: self.batch,
            values: self.values,
        }
    }

    pub(crate) const fn framing(&self) -> FrameLimits {
        FrameLimits {
            frame: self.frame_in,
            partial_frame: Some(self.partial_frame),
            write: Some(self.write_timeout),
        }
    }

    /// # Errors
    /// The first limit that is outside its range.
    pub fn validate(&self) -> Result<(), InvalidLimits> {
        let seconds =
            |duration: Duration| usize::try_from(duration.as_secs()).unwrap_or(usize::MAX);
        let ranges = [
            ("frame_in", self.frame_in, 1024, 1024 * MIB),
            ("frame_out", self.frame_out, 256 * 1024, 1024 * MIB),
            ("nesting", self.nesting, 8, 1024),
            ("batch", self.batch, 1, 1000),
            ("values", self.values, 256, 1024 * 1024),
            ("connections", self.connections, 1, 65_536),
            ("calls", self.calls, 1, 65_536),
            ("in_flight", self.in_flight, 64 * 1024, 1024 * MIB),
            ("subscriptions", self.subscriptions, 1, 65_536),
            ("outbox", self.outbox, 64 * 1024, 1024 * MIB),
            (
                "write_timeout_seconds",
                seconds(self.write_timeout),
                1,
                3600,
            ),
            (
                "partial_frame_seconds",
                seconds(self.partial_frame),
                1,
                3600,
            ),
            ("drain_seconds", seconds(self.drain), 1, 3600),
        ];
        for (limit, value, min, max) in ranges {
            if !(min..=max).contains(&value) {
                return Err(InvalidLimits { limit, min, max });
            }
        }
        Ok(())
    }
}

fn seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_within_their_ranges() {
        assert_eq!(RpcLimits::default().validate(), Ok(()));
    }

    #[test]
    fn configuration_overrides_single_limits() {
        let limits: RpcLimits = toml::from_str("calls = 3\nwrite_timeout_seconds = 7").unwrap();
        assert_eq!((limits.calls, limits.write_timeout.as_secs()), (3, 7));
        assert_eq!(limits.batch, RpcLimits::default().batch);
        assert!(toml::from_str::<RpcLimits>("cals = 3").is_err());
    }

    #[test]
    fn a_limit_below_its_minimum_is_named() {
        let limits = RpcLimits {
            outbox: 10,
            ..RpcLimits::default()
        };
        assert_eq!(limits.validate().unwrap_err().limit, "outbox");
    }
}
