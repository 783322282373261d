use crate::wire;

pub(super) type Endpoint = wire::Endpoint<()>;
