//! Texts in the encoding of the file that they go to.

use std::borrow::Cow;

use crate::error::{ErrorCode, ToolError};
use crate::roots::Location;
use scorel_fs::{TextEncoding, Unencodable};

/// The bytes of a text in an encoding.
///
/// # Errors
/// The encoding does not have one of the characters.
pub(crate) fn encoded<'a>(
    text: &'a str,
    encoding: TextEncoding,
    location: &Location,
) -> Result<Cow<'a, [u8]>, ToolError> {
    encoding.encode(text).map_err(|missing| {
        let Unencodable { character, line } = missing;
        let name = encoding.name().unwrap_or("UTF-8");
        let reason = format!(
            "is in {name}, which has no `{}` (line {line} of the new text): use other \
             characters, or convert the file to UTF-8 first",
            character.escape_default()
        );
        location.refused(ErrorCode::Encoding, reason)
    })
}
