//! A JSON deserializer whose errors quote a bounded part of the input.
//!
//! serde's error messages quote the unexpected value in full and escaped: a frame of 8 MiB of control
//! characters where a number belongs makes a message of 48 MiB. Cutting the message afterwards is too
//! late, and `serde_json`'s error type is fixed. So every visitor and seed is wrapped to report through
//! [`TerseError`], whose constructor stops formatting at its limit. The wrappers contain each other,
//! as deserializers, visitors and accesses do.

use std::fmt;

use scorel_peer::beginning;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::place::Place;

/// In bytes.
const MAX_MESSAGE: usize = 512;

/// An error with a bounded message.
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

    /// Says `null`, as `serde_json` does, where serde says `unit value`.
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

/// A deserializer with bounded errors, which keeps track of its place.
///
/// It requests scalars by `deserialize_any`, so that a value of the wrong type reaches the visitor,
/// which is wrapped: the inner deserializer would make an error of its own type.
pub(super) struct Terse<'p, D>(pub(super) D, pub(super) &'p Place);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Terse<'_, D> {
    type Error = TerseError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor, self.1);
        self.0.deserialize_any(visitor).map_err(TerseError::custom)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor, self.1);
        self.0
            .deserialize_option(visitor)
            .map_err(TerseError::custom)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor, self.1);
        self.0
            .deserialize_ignored_any(visitor)
            .map_err(TerseError::custom)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor, self.1);
        self.0
            .deserialize_newtype_struct(name, visitor)
            .map_err(TerseError::custom)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        let visitor = TerseVisitor(visitor, self.1);
        self.0
            .deserialize_enum(name, variants, visitor)
            .map_err(TerseError::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// A visitor or a seed.
struct TerseVisitor<'p, V>(V, &'p Place);

macro_rules! visit {
    ($($method:ident: $value:ty),+ $(,)?) => {
        $(fn $method<E: de::Error>(self, value: $value) -> Result<V::Value, E> {
            self.0.$method::<TerseError>(value).map_err(E::custom)
        })+
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for TerseVisitor<'_, V> {
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

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit::<TerseError>().map_err(E::custom)
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none::<TerseError>().map_err(E::custom)
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<V::Value, D::Error> {
        self.0
            .visit_some(Terse(some, self.1))
            .map_err(D::Error::custom)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0
            .visit_newtype_struct(Terse(inner, self.1))
            .map_err(D::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_seq(TerseAccess::new(array, self.1))
            .map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_map(TerseAccess::new(object, self.1))
            .map_err(A::Error::custom)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<V::Value, A::Error> {
        self.0
            .visit_enum(TerseAccess::new(choice, self.1))
            .map_err(A::Error::custom)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for TerseVisitor<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0
            .deserialize(Terse(inner, self.1))
            .map_err(D::Error::custom)
    }
}

/// The elements of an array or object, or the content of a variant.
struct TerseAccess<'p, A> {
    inner: A,
    place: &'p Place,
    /// Of the next element or member.
    index: usize,
}

impl<'p, A> TerseAccess<'p, A> {
    const fn new(inner: A, place: &'p Place) -> Self {
        Self {
            inner,
            place,
            index: 0,
        }
    }

    /// Enters the next element or member. A success leaves it again; a failure stays there.
    fn enter(&mut self) {
        self.place.enter(self.index);
        self.index += 1;
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for TerseAccess<'_, A> {
    type Error = TerseError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TerseError> {
        self.enter();
        let element = self.inner.next_element_seed(TerseVisitor(seed, self.place));
        let element = element.map_err(TerseError::custom)?;
        self.place.leave();
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// A member is entered with its name, since that can be the invalid part, and left after its value.
impl<'de, A: MapAccess<'de>> MapAccess<'de> for TerseAccess<'_, A> {
    type Error = TerseError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TerseError> {
        self.enter();
        let name = self.inner.next_key_seed(TerseVisitor(seed, self.place));
        let name = name.map_err(TerseError::custom)?;
        if name.is_none() {
            self.place.leave();
        }
        Ok(name)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, TerseError> {
        let value = self.inner.next_value_seed(TerseVisitor(seed, self.place));
        let value = value.map_err(TerseError::custom)?;
        self.place.leave();
        Ok(value)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'p, A: EnumAccess<'de>> EnumAccess<'de> for TerseAccess<'p, A> {
    type Error = TerseError;
    type Variant = TerseAccess<'p, A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), TerseError> {
        self.inner
            .variant_seed(TerseVisitor(seed, self.place))
            .map(|(variant, content)| (variant, TerseAccess::new(content, self.place)))
            .map_err(TerseError::custom)
    }
}

/// The content of a variant is the one member of an object.
impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for TerseAccess<'_, A> {
    type Error = TerseError;

    fn unit_variant(self) -> Result<(), TerseError> {
        self.inner.unit_variant().map_err(TerseError::custom)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        mut self,
        seed: T,
    ) -> Result<T::Value, TerseError> {
        self.enter();
        let content = TerseVisitor(seed, self.place);
        let content = self.inner.newtype_variant_seed(content);
        let content = content.map_err(TerseError::custom)?;
        self.place.leave();
        Ok(content)
    }

    fn tuple_variant<V: Visitor<'de>>(
        mut self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        self.enter();
        let visitor = TerseVisitor(visitor, self.place);
        let content = self.inner.tuple_variant(len, visitor);
        let content = content.map_err(TerseError::custom)?;
        self.place.leave();
        Ok(content)
    }

    fn struct_variant<V: Visitor<'de>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        self.enter();
        let visitor = TerseVisitor(visitor, self.place);
        let content = self.inner.struct_variant(fields, visitor);
        let content = content.map_err(TerseError::custom)?;
        self.place.leave();
        Ok(content)
    }
}
