use scorel_proto::{
    GetProcessLog, GetProcessLogParams, GetProcessLogResult, RestartProcess, RestartProcessParams,
    RestartProcessResult,
};

use super::method;
use crate::golden::Golden;

pub(super) fn all() -> Vec<Golden> {
    let process = "extension:notes".to_owned();
    let restart = method::<RestartProcess>(
        &RestartProcessParams {
            process: process.clone(),
        },
        &RestartProcessResult { restarted: 1 },
    );
    let log = method::<GetProcessLog>(
        &GetProcessLogParams { process },
        &GetProcessLogResult {
            log: "cannot read notes.txt".into(),
        },
    );
    restart.into_iter().chain(log).collect()
}
