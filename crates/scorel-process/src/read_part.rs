use scorel_peer::{EnvelopeLimits, check_content};
use serde_json::Value;
use serde_json::value::RawValue;

/// Those of what one program says, within the limit of its frame.
pub(crate) const LIMITS: EnvelopeLimits = EnvelopeLimits {
    nesting: 64,
    batch: 64,
    values: 200_000,
};

/// Reads a part of a result of [`ServiceLink::call_for_parts`](crate::ServiceLink::call_for_parts).
///
/// # Errors
/// It breaks a limit on content: a sentence without its full stop.
pub fn read_part(part: &RawValue) -> Result<Value, String> {
    check_content(part.get(), LIMITS.nesting).map_err(|error| error.to_string())?;
    serde_json::from_str(part.get()).map_err(|error| error.to_string())
}
