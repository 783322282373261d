use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The names of the signals of Linux, from 1. A log with a number does not say which system wrote it.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// The name of a signal, such as `SIGKILL`. Logs of older versions have its number, which is read too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SignalName(Cow<'static, str>);

impl From<&'static str> for SignalName {
    fn from(name: &'static str) -> Self {
        Self(name.into())
    }
}

impl From<i32> for SignalName {
    fn from(number: i32) -> Self {
        let index = usize::try_from(number)
            .ok()
            .and_then(|it| it.checked_sub(1));
        let name = index.and_then(|index| NAMES.get(index));
        Self(match name {
            Some(name) => format!("SIG{name}").into(),
            None => format!("SIG{number}").into(),
        })
    }
}

impl fmt::Display for SignalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SignalName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i32),
            Name(String),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Number(number) => number.into(),
            Written::Name(name) => Self(name.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SignalName;

    #[test]
    fn a_number_of_an_older_log_is_read_as_its_name() {
        for (written, name) in [
            ("9", "SIGKILL"),
            ("15", "SIGTERM"),
            ("34", "SIG34"),
            ("\"SIGHUP\"", "SIGHUP"),
        ] {
            let signal: SignalName = serde_json::from_str(written).expect("a signal");
            assert_eq!(signal.to_string(), name);
            assert_eq!(
                serde_json::to_string(&signal).expect("JSON"),
                format!("\"{name}\"")
            );
        }
    }
}
