use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// Unknown members of a message. Their names are kept to find duplicates.
const MAX_OTHERS: usize = 64;

/// The members of one message that JSON-RPC knows. `V` is what their values are kept as.
///
/// Duplicate names, after unescaping, are refused. JSON leaves open which of two equal members counts,
/// and parsers differ: a proxy, a log or an audit could see another `method` or `id` than the one that
/// is executed.
#[derive(Debug)]
pub struct Members<V> {
    pub jsonrpc: Option<V>,
    pub method: Option<V>,
    pub params: Option<V>,
    pub id: Option<V>,
    pub result: Option<V>,
    pub error: Option<V>,
}

impl<V> Members<V> {
    pub const fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<V>> {
        Some(match name {
            "jsonrpc" => &mut self.jsonrpc,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "id" => &mut self.id,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return None,
        })
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for MembersVisitor<V> {
    type Value = Members<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<V>, A::Error> {
        let mut members = Members {
            jsonrpc: None,
            method: None,
            params: None,
            id: None,
            result: None,
            error: None,
        };
        let mut others = HashSet::new();
        while let Some(Name(name)) = map.next_key()? {
            let repeated = match members.slot(&name) {
                Some(slot) => slot.replace(map.next_value()?).is_some(),
                None if others.len() == MAX_OTHERS => {
                    return Err(A::Error::custom("too many members"));
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                    !others.insert(name)
                }
            };
            if repeated {
                return Err(A::Error::custom("a member comes twice"));
            }
        }
        Ok(members)
    }
}

/// Borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
