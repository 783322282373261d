use scorel_provider::check_model_id;
use serde::de::{Deserialize as _, Deserializer, Error as _};

/// The name or id of a model. Checked while deserializing so that the error has a position.
pub(super) fn model_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let name = name.trim();
    check_model_id(name).map_err(D::Error::custom)?;
    Ok(Some(name.to_owned()))
}
