//! Parameters and results of every method.

mod agent;
mod channel;
mod config;
mod conversation;
mod extension;
mod graph;
mod hook;
mod host;
mod mcp;
mod process;
mod question;
mod reading;
mod run;
mod runner;
mod search;
mod session;
mod trust;

use scorel_proto::Method;

use crate::golden::Golden;

pub(super) use agent::{agent, runtime};
pub(super) use question::{permission_answer, question};
pub(super) use reading::in_flight;
pub(super) use session::{project, session};

pub(super) fn all() -> Vec<Golden> {
    let mut all = host::all();
    all.extend(config::all());
    all.extend(session::all());
    all.extend(agent::all());
    all.extend(conversation::all());
    all.extend(channel::all());
    all.extend(process::all());
    all.extend(super::files::methods());
    all.extend(question::all());
    all.extend(reading::all());
    all.extend(run::all());
    all.extend(runner::all());
    all.extend(search::all());
    all.extend(trust::all());
    all.extend(hook::all());
    all.extend(extension::all());
    all.extend(mcp::all());
    all
}

/// The goldens of one method: its parameters and its result.
pub(super) fn method<M: Method>(params: &M::Params, result: &M::Result) -> [Golden; 2] {
    [params_of::<M>("", params), result_of::<M>("", result)]
}

/// One more golden of a method's parameters.
pub(super) fn params_of<M: Method>(variant: &str, params: &M::Params) -> Golden {
    Golden::of(format!("params/{}{variant}", M::NAME), params)
}

/// One more golden of a method's result.
pub(super) fn result_of<M: Method>(variant: &str, result: &M::Result) -> Golden {
    Golden::of(format!("result/{}{variant}", M::NAME), result)
}
