/// The messages beside the methods, by which protocols over JSON-RPC differ.
#[derive(Debug, Clone, Copy)]
pub struct ServiceWords {
    /// The notification that withdraws a call, and its parameter that names the call.
    pub cancel: (&'static str, &'static str),
    /// The notification before the end of the input; `None` if the end says it.
    pub goodbye: Option<&'static str>,
}

impl Default for ServiceWords {
    fn default() -> Self {
        Self {
            cancel: ("$/cancelRequest", "id"),
            goodbye: Some("shutdown"),
        }
    }
}
