use std::str::FromStr;

use scorel_proto::SessionId;

/// A session as the user selects it on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionSelector {
    /// `new`: a session to be created.
    New,
    Id(SessionId),
    /// The beginning or the end of an id.
    Part(String),
}

/// An empty selector. A script's unset variable must not select the latest session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is empty; leave it out for the default")]
pub(crate) struct EmptySelector;

impl FromStr for SessionSelector {
    type Err = EmptySelector;

    fn from_str(text: &str) -> Result<Self, EmptySelector> {
        Ok(match text.trim() {
            "" => return Err(EmptySelector),
            "new" => Self::New,
            text => match text.parse() {
                Ok(id) => Self::Id(id),
                Err(_) => Self::Part(text.to_owned()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_new_an_id_or_a_part_of_one() {
        let id = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        for text in ["", " "] {
            assert_eq!(text.parse::<SessionSelector>(), Err(EmptySelector));
        }
        assert_eq!("new".parse(), Ok(SessionSelector::New));
        assert_eq!(
            id.parse(),
            Ok(SessionSelector::Id(id.parse().expect("an id")))
        );
        assert_eq!(
            "ses_01".parse(),
            Ok(SessionSelector::Part("ses_01".to_owned()))
        );
    }
}
