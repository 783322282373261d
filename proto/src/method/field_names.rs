use serde::Deserializer;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The names of a struct's fields, in order; none of a type that is not read by their names.
///
/// Asked of the struct's own deserialization, which every program with the type has. Its schema says the same, and
/// would have a daemon carry the code of the schemas of all params.
pub(super) fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // Always fails: there is nothing to read.
    let _ = T::deserialize(NamesOnly(&mut names));
    names
}

/// Takes the names of the fields that it is asked for, and has no value for any.
struct NamesOnly<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for NamesOnly<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("there is no value"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
