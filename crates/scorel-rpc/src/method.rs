use scorel_proto::AccessLevel;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// One call, one reply.
    Call,
    /// The reply is the id of a new subscription, so it must not be lost: no batches, no
    /// notifications.
    Subscribe,
}

#[derive(Debug, Clone, Copy)]
pub struct MethodSpec {
    pub name: &'static str,
    /// The least access that a caller needs.
    pub access: AccessLevel,
    pub kind: MethodKind,
    /// The names of the params in the order of positional params. Called once, for the first call
    /// with positional params: the names come from a JSON schema, which costs to build.
    pub params: fn() -> Vec<String>,
    /// The largest reply in bytes, or 0 if that is a few KiB. Counts towards
    /// [`RpcLimits::in_flight`](crate::RpcLimits::in_flight) while a call is in flight.
    pub reply: usize,
}
