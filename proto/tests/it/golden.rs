//! One golden: a value, its JSON in a file, and how to read it back.

use std::path::PathBuf;

use schemars::{JsonSchema, SchemaGenerator};
use scorel_proto::{EncodedEvent, Event};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Set this variable to write the goldens anew; then read the difference.
const REWRITE: &str = "SCOREL_REWRITE_GOLDENS";

/// A value of a wire type with a name for its file.
pub(crate) struct Golden {
    /// The file's path under `tests/golden`, without its ending.
    pub(crate) name: String,
    /// What the sample encodes to.
    pub(crate) encoded: Value,
    /// Decodes a text as the type and encodes it again.
    pub(crate) recode: fn(&str) -> serde_json::Result<Value>,
    /// The type's JSON Schema.
    pub(crate) schema: fn() -> Value,
}

impl Golden {
    /// A golden of any type.
    pub(crate) fn of<T>(name: impl Into<String>, sample: &T) -> Self
    where
        T: Serialize + DeserializeOwned + JsonSchema,
    {
        Self {
            name: name.into(),
            encoded: serde_json::to_value(sample).unwrap(),
            recode: |text| serde_json::to_value(serde_json::from_str::<T>(text)?),
            schema: schema::<T>,
        }
    }

    /// A golden of an event, which is read by its `type`.
    pub(crate) fn of_event(name: impl Into<String>, sample: &Event) -> Self {
        let encoded = encode_event(sample).unwrap();
        let decoded = Event::decode(&encoded.to_string()).unwrap();
        assert_eq!(&decoded, sample, "the event is not read back as it was");
        Self {
            name: name.into(),
            encoded,
            recode: |text| encode_event(&Event::decode(text)?),
            schema: schema::<EncodedEvent>,
        }
    }

    /// Compares the file with the sample, both ways.
    pub(crate) fn check(&self) {
        let path = directory().join(format!("{}.json", self.name));
        if std::env::var_os(REWRITE).is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, format!("{:#}\n", self.encoded)).unwrap();
        }
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; set {REWRITE}=1", path.display()));
        let golden: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            self.encoded, golden,
            "{}: the sample encodes otherwise",
            self.name
        );
        let recoded = (self.recode)(&text).unwrap();
        assert_eq!(
            recoded, golden,
            "{}: reading and writing changes it",
            self.name
        );
    }
}

/// Where the goldens are.
pub(crate) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn encode_event(event: &Event) -> serde_json::Result<Value> {
    match event {
        Event::Persistent(event) => serde_json::to_value(event),
        Event::Transient(event) => serde_json::to_value(event),
        Event::Unknown(event) => panic!("the event was not understood: {:?}", event.problem),
    }
}

fn schema<T: JsonSchema>() -> Value {
    SchemaGenerator::default()
        .into_root_schema_for::<T>()
        .to_value()
}
