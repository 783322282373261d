use std::error::Error;
use std::io;

/// Returns whether nothing listens at the address.
pub fn is_refused(error: &reqwest::Error) -> bool {
    let mut next = error.source();
    while let Some(error) = next {
        let error_kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if error_kind == Some(io::ErrorKind::ConnectionRefused) {
            return true;
        }
        next = error.source();
    }
    false
}
