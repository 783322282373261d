use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A method as a type: its name and the types of its parameters and result, for typed calls.
pub trait Method: Send + Sync + 'static {
    /// The name on the wire, such as `sendMessage`.
    const NAME: &'static str;
    /// The parameters, an object on the wire.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Result: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    // Not provided by the trait: as functions of this crate they are compiled once, and not again by
    // every crate that calls the method.

    /// Encodes parameters.
    ///
    /// # Errors
    /// A map has keys that are not strings.
    fn encode_params(params: &Self::Params) -> serde_json::Result<Box<RawValue>>;

    /// Encodes a result.
    ///
    /// # Errors
    /// A map has keys that are not strings.
    fn encode_result(result: &Self::Result) -> serde_json::Result<Box<RawValue>>;

    /// Decodes a result.
    ///
    /// # Errors
    /// The text is not JSON of the result's type.
    fn decode_result(json: &RawValue) -> serde_json::Result<Self::Result>;
}
