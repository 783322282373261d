use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::access::TerseAccess;
use super::{Terse, TerseError};

/// A visitor, or a seed, whose errors are short.
pub(super) struct TerseVisitor<V>(pub(super) V);

macro_rules! visit {
    ($($method:ident: $value:ty),+ $(,)?) => {
        $(fn $method<E: Error>(self, value: $value) -> Result<V::Value, E> {
            self.0.$method::<TerseError>(value).map_err(E::custom)
        })+
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for TerseVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_str: &str,
        visit_borrowed_str: &'de str,
        visit_string: String,
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit::<TerseError>().map_err(E::custom)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none::<TerseError>().map_err(E::custom)
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Terse(some)).map_err(D::Error::custom)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0
            .visit_newtype_struct(Terse(inner))
            .map_err(D::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_seq(TerseAccess(array))
            .map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_map(TerseAccess(object))
            .map_err(A::Error::custom)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_enum(TerseAccess(choice))
            .map_err(A::Error::custom)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for TerseVisitor<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Terse(inner)).map_err(D::Error::custom)
    }
}
