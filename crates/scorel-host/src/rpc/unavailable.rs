//! Methods of the protocol that this version does not implement: each fails with `unsupported`.

use scorel_proto::{METHODS, MethodInfo};
use scorel_rpc::{DuplicateMethod, MethodKind, MethodSpec, Table};

use crate::call_error::CallError;
use crate::host::Host;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    METHODS
        .iter()
        .filter(|method| !method.available)
        .try_for_each(|info| {
            table.method(spec(info), move |_, _, _| async move {
                Err(CallError::Unsupported { method: info.name }.into())
            })
        })
}

fn spec(info: &MethodInfo) -> MethodSpec {
    MethodSpec {
        name: info.name,
        access: info.access,
        kind: MethodKind::Call,
        params: info.param_names,
        reply: 0,
    }
}
