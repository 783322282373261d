/// Bytes of a part of a path.
const MAX_PART: usize = 255;

/// Parts of a path.
const MAX_PARTS: usize = 16;

/// The mistake in a path below a package: relative, with `/` between its parts, and never out of it.
pub(crate) fn path_mistake(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() > MAX_PARTS {
        return Some("the path has too many parts");
    }
    for part in parts {
        let mistake = match part {
            "" => "the path is absolute, or has an empty part",
            "." | ".." => "the path has `.` or `..` as a part",
            _ if part.contains('\\') => "the path has a `\\`; its parts are separated by `/`",
            _ if part.len() > MAX_PART => "a part of the path is too long",
            _ if part.contains(|it: char| it.is_control()) => "the path has a control character",
            _ => continue,
        };
        return Some(mistake);
    }
    None
}
