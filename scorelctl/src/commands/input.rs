use std::io::Read;

use crate::failure::Failure;

/// The largest text that is read from standard input, in bytes: the daemon's limit for a frame, so
/// more could not be sent.
const MAX_INPUT: u64 = 8 * 1024 * 1024;

/// Reads standard input to its end. It must be UTF-8.
pub(super) fn read_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::usage("standard input is larger than 8 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not valid UTF-8"))
}
