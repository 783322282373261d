use std::convert::Infallible;
use std::str::FromStr;

use scorel_proto::SessionId;

/// How a user names a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Not at all: the latest of the project.
    Latest,
    /// One that is still to be made.
    New,
    /// By its whole id.
    Id(SessionId),
    /// By the beginning of its id.
    Prefix(String),
}

impl FromStr for Wanted {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "" => Self::Latest,
            "new" => Self::New,
            _ => match text.parse() {
                Ok(id) => Self::Id(id),
                Err(_) => Self::Prefix(text.to_owned()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_nothing_new_an_id_or_a_prefix() {
        let id = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        assert_eq!("".parse(), Ok(Wanted::Latest));
        assert_eq!("new".parse(), Ok(Wanted::New));
        assert_eq!(id.parse(), Ok(Wanted::Id(id.parse().expect("an id"))));
        assert_eq!("ses_01".parse(), Ok(Wanted::Prefix("ses_01".to_owned())));
    }
}
