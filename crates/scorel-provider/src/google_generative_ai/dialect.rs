use crate::wire;

/// No host of this API differs from the others.
pub(super) type GeminiEndpoint = wire::ModelEndpoint<()>;
