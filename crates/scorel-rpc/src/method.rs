use scorel_proto::AccessLevel;

use crate::params::ParamNames;

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
    /// The names of the params in the order of positional params.
    pub params: ParamNames,
    /// The largest reply in bytes, or 0 if that is a few KiB. Counts towards
    /// [`RpcLimits::in_flight`](crate::RpcLimits::in_flight) while a call is in flight.
    pub reply: usize,
}
