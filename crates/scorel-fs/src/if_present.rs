use std::io;

/// Makes `None` of the error that nothing is there.
///
/// # Errors
///
/// Any other error.
pub fn if_present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
