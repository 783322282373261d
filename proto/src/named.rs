/// An enum whose values have a name each, on the wire, in texts and in the configuration.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $type:ident {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $type {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// All values, in the order of the reference.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == name);
                found.ok_or_else(|| {
                    let names = Self::ALL.map(Self::name).join(", ");
                    format!("`{name}` is not one of {names}")
                })
            }
        }
    };
}

pub(crate) use named;
