//! The RPC methods. A handler parses its parameters, asks the host or a lane, and replies; none waits
//! for a turn. `register` adapts typed handlers to the table of `scorel-rpc`, and turns [`CallError`]
//! into the protocol's error.
//!
//! [`CallError`]: call_error::CallError

mod agents;
mod append;
mod attachments;
mod call_error;
mod caller;
mod channel_command;
mod channels;
mod commands;
mod conversation;
mod end_wait;
mod extensions;
mod files;
mod find_files;
mod garbage;
mod hook_test;
mod hooks;
mod host;
mod host_agents;
mod import;
mod mcp_logins;
mod mcp_servers;
mod message_pictures;
mod mutation;
mod named_project;
mod processes;
mod program_calls;
mod projects;
mod reading;
mod register;
mod runners;
mod runs;
mod runtimes;
mod search;
mod session_method;
mod sessions;
mod subscribe;
mod travel;
mod trust;
mod usage;
mod worktrees;

use std::sync::Arc;

use scorel_proto as proto;
use scorel_rpc::{DuplicateMethod, Table};

pub use session_method::{SessionCommand, session_method};

use crate::host::Host;
use channels::HostCron;
use program_calls::HostCalls;
use register::{client_method, method, subscription};

/// A table of all methods of the protocol, to which features may add theirs.
pub fn table(context: Arc<Host>) -> Result<Table<Host>, DuplicateMethod> {
    let metrics = Arc::clone(&context.metrics);
    let calls = HostCalls(Arc::downgrade(&context));
    context.programs.answer_with(Arc::new(calls));
    context.open_schedules(Arc::new(HostCron(Arc::downgrade(&context))));
    let mut table = Table::new(context);
    table.observe(metrics);
    methods_of_the_host(&mut table)?;
    methods_of_sessions(&mut table)?;
    Ok(table)
}

fn methods_of_the_host(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    client_method::<proto::Hello, _, _>(table, host::hello)?;
    method::<proto::GetStatus, _, _>(table, host::get_status)?;
    method::<proto::GetConfig, _, _>(table, host::get_config)?;
    method::<proto::Shutdown, _, _>(table, host::shutdown)?;
    method::<proto::ListModels, _, _>(table, host::list_models)?;
    method::<proto::CheckModel, _, _>(table, host::check_model)?;
    method::<proto::Gc, _, _>(table, host::gc)?;
    method::<proto::Discover, _, _>(table, host::discover)?;
    method::<proto::ListDirectories, _, _>(table, projects::directories)?;
    client_method::<proto::RegisterProject, _, _>(table, projects::register_project)?;
    method::<proto::ListProjects, _, _>(table, projects::list_projects)?;
    client_method::<proto::UpdateProject, _, _>(table, projects::update_project)?;
    client_method::<proto::RemoveProject, _, _>(table, projects::remove_project)?;
    method::<proto::Search, _, _>(table, search::search)?;
    method::<proto::GetUsage, _, _>(table, usage::get_usage)?;
    method::<proto::FindFiles, _, _>(table, find_files::find)?;
    method::<proto::ListSkills, _, _>(table, trust::list_skills)?;
    method::<proto::ListHooks, _, _>(table, hooks::list)?;
    method::<proto::TestHook, _, _>(table, hook_test::test)?;
    method::<proto::ListExtensions, _, _>(table, extensions::list)?;
    method::<proto::ListMcpServers, _, _>(table, mcp_servers::list)?;
    method::<proto::TestMcpServer, _, _>(table, mcp_servers::test)?;
    method::<proto::OfferMcpServers, _, _>(table, mcp_servers::offer)?;
    method::<proto::McpLogin, _, _>(table, mcp_logins::login)?;
    method::<proto::McpLogout, _, _>(table, mcp_logins::logout)?;
    method::<proto::GetTrust, _, _>(table, trust::get_trust)?;
    client_method::<proto::SetTrust, _, _>(table, trust::set_trust)?;
    method::<proto::RestartProcess, _, _>(table, processes::restart)?;
    method::<proto::GetProcessLog, _, _>(table, processes::log)?;
    method::<proto::ListRunners, _, _>(table, runners::list)?;
    method::<proto::CheckRunner, _, _>(table, runners::check)?;
    client_method::<proto::ForgetContext, _, _>(table, runners::forget)?;
    method::<proto::ListAgents, _, _>(table, agents::list)?;
    client_method::<proto::SetAgent, _, _>(table, agents::set_agent)?;
    client_method::<proto::SetQuota, _, _>(table, agents::set_quota)?;
    method::<proto::ListWorktrees, _, _>(table, worktrees::list)?;
    client_method::<proto::RemoveWorktree, _, _>(table, worktrees::remove)?;
    method::<proto::ListWorkflows, _, _>(table, runs::list_workflows)?;
    method::<proto::CheckWorkflow, _, _>(table, runs::check_workflow)?;
    client_method::<proto::StartRun, _, _>(table, runs::start)?;
    client_method::<proto::ResumeRun, _, _>(table, runs::resume)?;
    method::<proto::GetRun, _, _>(table, runs::get)?;
    method::<proto::ListRuns, _, _>(table, runs::list)?;
    client_method::<proto::UpdateRun, _, _>(table, runs::update)?;
    client_method::<proto::RebindRun, _, _>(table, runs::rebind)?;
    client_method::<proto::RepairRun, _, _>(table, runs::repair)?;
    client_method::<proto::DeleteRun, _, _>(table, runs::delete)?;
    subscription::<proto::SubscribeHost, _, _>(table, subscribe::subscribe_host)?;
    client_method::<proto::UnsubscribeHost, _, _>(table, subscribe::unsubscribe)
}

fn methods_of_sessions(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    client_method::<proto::CreateSession, _, _>(table, sessions::create)?;
    client_method::<proto::CloneSession, _, _>(table, sessions::clone)?;
    method::<proto::GetSession, _, _>(table, sessions::get)?;
    method::<proto::ListSessions, _, _>(table, sessions::list)?;
    client_method::<proto::UpdateSession, _, _>(table, sessions::update)?;
    client_method::<proto::ArchiveSession, _, _>(table, sessions::archive)?;
    client_method::<proto::DeleteSession, _, _>(table, sessions::delete)?;
    client_method::<proto::UndeleteSession, _, _>(table, sessions::undelete)?;
    client_method::<proto::AcceptDamage, _, _>(table, sessions::accept_damage)?;
    client_method::<proto::ImportSession, _, _>(table, import::import)?;
    client_method::<proto::SendMessage, _, _>(table, conversation::send)?;
    method::<proto::ListCommands, _, _>(table, commands::list)?;
    client_method::<proto::RunCommand, _, _>(table, commands::run)?;
    method::<proto::ListChannels, _, _>(table, channels::list)?;
    method::<proto::FireChannel, _, _>(table, channels::fire)?;
    client_method::<proto::RewriteQueue, _, _>(table, conversation::rewrite_queue)?;
    client_method::<proto::Cancel, _, _>(table, conversation::cancel)?;
    client_method::<proto::Compact, _, _>(table, conversation::compact)?;
    method::<proto::ListQuestions, _, _>(table, conversation::list_questions)?;
    client_method::<proto::RespondPermission, _, _>(table, conversation::respond)?;
    client_method::<proto::Rewind, _, _>(table, travel::rewind)?;
    client_method::<proto::Branch, _, _>(table, travel::branch)?;
    client_method::<proto::AppendCustom, _, _>(table, append::custom)?;
    client_method::<proto::AppendCustomMessage, _, _>(table, append::custom_message)?;
    client_method::<proto::EndWait, _, _>(table, end_wait::end_wait)?;
    method::<proto::PreviewRestore, _, _>(table, files::preview)?;
    client_method::<proto::RestoreFiles, _, _>(table, files::restore)?;
    method::<proto::GetTree, _, _>(table, reading::get_tree)?;
    method::<proto::GetEvents, _, _>(table, reading::get_events)?;
    method::<proto::GetTurn, _, _>(table, reading::get_turn)?;
    method::<proto::GetContext, _, _>(table, reading::get_context)?;
    method::<proto::GetBlob, _, _>(table, reading::get_blob)?;
    method::<proto::PutBlob, _, _>(table, reading::put_blob)?;
    method::<proto::Resync, _, _>(table, reading::resync)?;
    subscription::<proto::SubscribeEvents, _, _>(table, subscribe::subscribe_events)?;
    client_method::<proto::UnsubscribeEvents, _, _>(table, subscribe::unsubscribe)?;
    client_method::<proto::OpenOrchestrator, _, _>(table, runtimes::open)?;
    client_method::<proto::SpawnRuntime, _, _>(table, runtimes::spawn)?;
    method::<proto::GetRuntime, _, _>(table, runtimes::get)?;
    method::<proto::ListRuntimes, _, _>(table, runtimes::list)?;
    client_method::<proto::MoveRuntime, _, _>(table, runtimes::shift)?;
    client_method::<proto::StopRuntime, _, _>(table, runtimes::stop)?;
    method::<proto::GetGraph, _, _>(table, runtimes::graph)
}
