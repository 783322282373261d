//! Servers of the Model Context Protocol: each era, their tools in turns, and faults.

mod eras;
mod faults;
mod hostile;
mod http;
mod http_scene;
mod import;
mod kills;
mod known_clients;
mod login_kills;
mod logins;
mod offers;
mod plugin;
mod published;
mod scene;
mod searched_tools;
mod secrets;
mod sessions;
mod tool_rules;
mod tool_set;
mod tools;
mod verbs;
