use reqwest::Url;
use reqwest::redirect::Policy;

/// Redirects of a row that are followed.
const MAX: usize = 5;

/// The redirects that are followed. One that is not is the response itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirects {
    /// None.
    Refused,
    /// Those to the same scheme, host and port: another host would get the request's secrets.
    SameOrigin,
}

impl Redirects {
    pub(crate) fn policy(self) -> Policy {
        match self {
            Self::Refused => Policy::none(),
            Self::SameOrigin => Policy::custom(|attempt| {
                let is_same = |from: &Url| from.origin() == attempt.url().origin();
                let previous = attempt.previous();
                match previous.len() <= MAX && previous.iter().all(is_same) {
                    true => attempt.follow(),
                    false => attempt.stop(),
                }
            }),
        }
    }
}
