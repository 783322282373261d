use std::fmt;
use std::str::FromStr;

use scorel_proto::Seq;

/// A place among the events of a session: after an event, and then so many bytes into the next one, if it is too large
/// for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventCursor {
    pub(super) after: Seq,
    pub(super) offset: usize,
}

impl EventCursor {
    pub(super) const fn after(seq: Seq) -> Self {
        Self {
            after: seq,
            offset: 0,
        }
    }
}

impl fmt::Display for EventCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => self.after.fmt(f),
            offset => write!(f, "{}+{offset}", self.after),
        }
    }
}

impl FromStr for EventCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, offset) = text.split_once('+').unwrap_or((text, "0"));
        let after = after.parse().ok().and_then(Seq::new).ok_or(())?;
        let offset = offset.parse().map_err(|_| ())?;
        Ok(Self { after, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        for text in ["0", "12", "12+4096"] {
            assert_eq!(text.parse::<EventCursor>().unwrap().to_string(), text);
        }
        for text in ["", "x", "1+", "+1", "-1"] {
            assert!(text.parse::<EventCursor>().is_err(), "{text}");
        }
    }
}
