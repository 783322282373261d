use std::convert::Infallible;
use std::str::FromStr;

/// A point in a session's tree as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnSelector {
    /// The end of the turn that is so many turns before the leaf: `0`, `-1`, `-2`.
    Back(usize),
    /// `root`: the empty conversation.
    Root,
    /// The beginning or the end of an event's id, with or without `evt_`.
    Event(String),
}

impl FromStr for TurnSelector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let back = if text == "0" {
            Some(0)
        } else {
            text.strip_prefix('-').and_then(|count| count.parse().ok())
        };
        Ok(match back {
            Some(count) => Self::Back(count),
            None if text == "root" => Self::Root,
            None => Self::Event(text.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_number_of_turns_the_root_or_an_event() {
        for (text, expected) in [
            ("0", TurnSelector::Back(0)),
            ("-12", TurnSelector::Back(12)),
            ("root", TurnSelector::Root),
            ("evt_01", TurnSelector::Event("evt_01".to_owned())),
            ("-x", TurnSelector::Event("-x".to_owned())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }
}
