use crate::wire;

pub(super) type GeminiEndpoint = wire::ModelEndpoint<()>;
