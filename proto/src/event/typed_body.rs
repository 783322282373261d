/// The `type` of a body: its values, that of one body, and the body that a value stands for.
macro_rules! typed_body {
    ($body:ident { $($variant:ident = $name:literal),* }) => {
        impl $body {
            /// All values of `type`, in the order of the reference.
            pub const TYPES: &'static [&'static str] = &[$($name,)*];

            /// The value of `type` on the wire.
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Decodes the body of type `name` from the event's whole JSON text; `None` for an
            /// unknown type.
            pub(crate) fn decode(name: &str, text: &str) -> Option<serde_json::Result<Self>> {
                match name {
                    $($name => Some(serde_json::from_str(text).map(Self::$variant)),)*
                    _ => None,
                }
            }
        }
    };
}

pub(super) use typed_body;
