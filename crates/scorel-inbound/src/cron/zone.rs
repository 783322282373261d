use std::fmt;

use jiff::tz::TimeZone;
use serde::Deserialize;

/// The time zone by which a schedule is read: that of the system, as it is then, or one by its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CronZone(Option<TimeZone>);

/// A text that names no time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this system has no time zone {0:?}; zones are named like `Europe/Berlin`, or `UTC`")]
pub struct UnknownZone(String);

impl CronZone {
    pub fn zone(&self) -> TimeZone {
        self.0.clone().unwrap_or_else(TimeZone::system)
    }
}

impl TryFrom<String> for CronZone {
    type Error = UnknownZone;

    fn try_from(name: String) -> Result<Self, UnknownZone> {
        match TimeZone::get(&name) {
            Ok(zone) => Ok(Self(Some(zone))),
            Err(_) => Err(UnknownZone(name)),
        }
    }
}

impl fmt::Display for CronZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.zone().iana_name().unwrap_or("system"))
    }
}
