use std::convert::Infallible;
use std::str::FromStr;

use scorel_proto::SessionId;

/// How the user selects a session on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionSelector {
    /// Nothing given: the project's latest session.
    Latest,
    /// `new`: a session to be created.
    New,
    Id(SessionId),
    /// The beginning or the end of an id.
    Part(String),
}

impl FromStr for SessionSelector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "" => Self::Latest,
            "new" => Self::New,
            _ => match text.parse() {
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
    fn a_selector_is_empty_new_an_id_or_a_part_of_one() {
        let id = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        assert_eq!("".parse(), Ok(SessionSelector::Latest));
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
