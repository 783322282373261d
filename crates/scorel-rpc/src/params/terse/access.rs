use serde::de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::TerseError;
use super::visitor::TerseVisitor;

/// What is inside an array, an object or a variant, read with short errors.
pub(super) struct TerseAccess<A>(pub(super) A);

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for TerseAccess<A> {
    type Error = TerseError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TerseError> {
        self.0
            .next_element_seed(TerseVisitor(seed))
            .map_err(TerseError::custom)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for TerseAccess<A> {
    type Error = TerseError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TerseError> {
        self.0
            .next_key_seed(TerseVisitor(seed))
            .map_err(TerseError::custom)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, TerseError> {
        self.0
            .next_value_seed(TerseVisitor(seed))
            .map_err(TerseError::custom)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for TerseAccess<A> {
    type Error = TerseError;
    type Variant = TerseAccess<A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), TerseError> {
        self.0
            .variant_seed(TerseVisitor(seed))
            .map(|(variant, content)| (variant, TerseAccess(content)))
            .map_err(TerseError::custom)
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for TerseAccess<A> {
    type Error = TerseError;

    fn unit_variant(self) -> Result<(), TerseError> {
        self.0.unit_variant().map_err(TerseError::custom)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, TerseError> {
        self.0
            .newtype_variant_seed(TerseVisitor(seed))
            .map_err(TerseError::custom)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        self.0
            .tuple_variant(len, TerseVisitor(visitor))
            .map_err(TerseError::custom)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TerseError> {
        self.0
            .struct_variant(fields, TerseVisitor(visitor))
            .map_err(TerseError::custom)
    }
}
