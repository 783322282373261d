//! Deserializing with errors that repeat no more than a little of the input.
//!
//! A usual error shows the text that was not expected, escaped: up to six times as long as a frame.
//! Here every visitor is given an error type that keeps the beginning of a message only.

mod access;
mod visitor;

use std::fmt;

use serde::de::{self, Deserializer, Expected, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::beginning::beginning;
use visitor::TerseVisitor;

/// The longest message that is kept, in bytes.
const MAX_MESSAGE: usize = 512;

/// An error whose message is short.
#[derive(Debug)]
pub(super) struct TerseError(String);

impl fmt::Display for TerseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TerseError {}

impl de::Error for TerseError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(beginning(message, MAX_MESSAGE))
    }

    /// In JSON's words.
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match unexpected {
            Unexpected::Unit => {
                Self::custom(format_args!("invalid type: null, expected {expected}"))
            }
            _ => Self::custom(format_args!(
                "invalid type: {unexpected}, expected {expected}"
            )),
        }
    }
}

/// A deserializer of JSON with short errors.
///
/// Scalars are asked for as whatever comes, so that the visitor and not the inner deserializer
/// complains about their type.
pub(super) struct Terse<D>(pub(super) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Terse<D> {
    type Error = TerseError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor);
        self.0.deserialize_any(visitor).map_err(de::Error::custom)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor);
        self.0
            .deserialize_option(visitor)
            .map_err(de::Error::custom)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor);
        self.0
            .deserialize_ignored_any(visitor)
            .map_err(de::Error::custom)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor);
        self.0
            .deserialize_newtype_struct(name, visitor)
            .map_err(de::Error::custom)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor);
        self.0
            .deserialize_enum(name, variants, visitor)
            .map_err(de::Error::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}
