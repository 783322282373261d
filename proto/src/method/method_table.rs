/// Types of methods, and the list of all of them with what is said of each.
macro_rules! methods {
    ($($group:ident {
        $($(#[doc = $doc:literal])*
        $method:ident = $name:literal, $access:ident, $params:ty => $result:ty, [$($error:ident),*];)*
    })*) => {
        $($(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy)]
            pub enum $method {}

            impl Method for $method {
                const NAME: &'static str = $name;
                type Params = $params;
                type Result = $result;

                fn encode_params(params: &$params) -> serde_json::Result<Box<RawValue>> {
                    to_raw_value(params)
                }

                fn encode_result(result: &$result) -> serde_json::Result<Box<RawValue>> {
                    to_raw_value(result)
                }

                fn decode_result(json: &RawValue) -> serde_json::Result<$result> {
                    serde_json::from_str(json.get())
                }
            }
        )*)*

        /// All methods, in the order of the reference.
        pub const METHODS: &[MethodInfo] = &[$($(
            MethodInfo {
                name: $name,
                summary: concat!($($doc, "\n"),*),
                group: MethodGroup::$group,
                access: AccessLevel::$access,
                errors: &[$(ErrorCode::$error),*],
                params: |generator| generator.subschema_for::<$params>(),
                result: |generator| generator.subschema_for::<$result>(),
                param_names: field_names::<$params>,
            },
        )*)*];
    };
}

pub(super) use methods;
