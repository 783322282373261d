//! Permissions: an agent's action is allowed, asked about, or denied.
//!
//! An [`Effect`](scorel_engine::Effect) is what a call is about to do: read a file, write a file, run a
//! shell command, fetch a page. A [`Policy`] judges it and gives a [`PolicyVerdict`]: [`Decision::Allow`], [`Decision::Ask`] or
//! [`Decision::Deny`], with the reason and the rule that decided. Nothing here reads a file, asks a
//! person or knows a session: the same policy gives the same verdict wherever it is computed.
//!
//! # Rules
//!
//! A rule names a tool and, in parentheses, what it is about:
//!
//! | rule | covers |
//! |---|---|
//! | `Read(src/**)` | reading below `src` of the project; `Glob` and `Grep` mean the same |
//! | `Write(~/notes/*.md)` | writing there; `Edit` means the same. `~` is the home directory |
//! | `Read(/usr/include/**)` | an absolute path |
//! | `Bash(git log *)` | `git log` with whatever follows, or nothing; `Bash(git log:*)` means the same |
//! | `Bash(./run.sh *)` | that file of the project, from whichever directory it is called |
//! | `Bash(cargo test --test *.rs)` | a `*` inside a word stays inside that word |
//! | `Bash(echo 'a b')`, `Bash(echo \*)` | quotes and backslashes make a word literal |
//! | `Outside(docker *)` | a command that would run without the sandbox, and what follows it |
//! | `WebFetch(domain:example.com)` | that host; `domain:*.example.com` its subdomains |
//! | `Tool(mcp__github__*)` | tools from outside whose names begin like that; without `*` the one tool |
//! | `Tool(mcp__db__query sql=select *)` | calls whose argument `sql` begins with `select ` |
//! | `Tool(mcp__db__query#0123456789ab)` | the tool as long as its digest begins like that |
//! | `Bash`, `Read`, … | everything that the tool does |
//!
//! Rules stand in three lists. **A deny beats an ask, and an ask beats an allow**, whatever their
//! order and however precise they are. Where no rule speaks the [`Mode`] decides:
//!
//! | | `readonly` | `ask` | `workspace` (default) | `full` |
//! |---|---|---|---|---|
//! | read in the project | allow | allow | allow | allow |
//! | read elsewhere | ask | ask | ask | allow |
//! | write in the project | deny | allow | allow | allow |
//! | write elsewhere | deny | ask | ask | allow |
//! | commands that only read | allow | allow | allow | allow |
//! | other commands | ask | ask | allow, [`builtin_ask`] asks | allow |
//! | commands without the sandbox | deny | ask | ask | allow |
//! | fetch | ask | ask | ask | allow |
//! | fetch from a private host | ask | ask | ask | ask |
//! | call a tool from outside | ask | ask | ask | allow |
//!
//! The mode `workspace` relies on a sandbox, which keeps a command in the project and from the
//! network. The built-in asking rules are about commands that it would let destroy something; an
//! allowing rule that names nothing else lifts one.
//!
//! # Commands
//!
//! A command is taken apart with a grammar of the shell, and **every part must be allowed**: each side
//! of `&&`, `||`, `;`, `|` and `&`, each line, what stands in `$( )`, backticks and `<( )`, the bodies
//! of loops, branches and functions. What a redirection writes is judged as a write. Programs that run
//! others (`env`, `xargs`, `find -exec`, `sh -c`, `timeout`, …) are looked through.
//!
//! What cannot be understood is asked about: a syntax error, a program whose name is a variable,
//! `eval`, a file name that is only known when the command runs and that a rule is about. In the mode
//! `workspace` that is so only where there are rules that it could fall under.
//!
//! `*` in an allowing rule covers ordinary arguments. It does not cover one that makes the program do
//! something else, such as `git -c`, `sed -i`, `find -delete` or `python -c`, nor programs whose whole
//! purpose is to run something, such as `make`; a rule must name those: `Bash(sed -i *)`. Denying and
//! asking rules are the opposite: they also cover `/bin/rm` for `rm`, and `git -C dir push` for
//! `git push`, and what a program may start that is not known to take its arguments as data:
//! `setsid rm -r x` for `rm -r x`.
//!
//! A command that asks to run **without the sandbox** is judged more strictly. Rules `Bash(…)` do not allow
//! it, every part needs a rule `Outside(…)`, in which `*` stands for plain words only, and only filters that open no file (`grep`, `head`) pass
//! beside a part that has one. Redirections to and from files are asked about each time.
//!
//! # Always asked
//!
//! No allowing rule and no mode covers writes to git's own data (hooks, configuration), to Scorel's
//! files and to files that shells and desktops run when they start; nor commands that could answer for
//! the person or outlive the session: `scorelctl`, `systemd-run`, `crontab`, `at`, `sudo`.
//!
//! # What this is not
//!
//! Names are judged as they are written. A link that leads elsewhere, or a program that opens a file
//! that its arguments do not name, is for the sandbox to stop.

mod base_dirs;
mod builtin_ask;
mod credentials;
mod daemon_home;
mod decision;
mod mode;
mod offer;
mod policy;
pub mod protected;
mod rule;
mod rules;
mod web_url;

pub use base_dirs::BaseDirs;
pub use builtin_ask::builtin_ask;
pub use credentials::{CredentialKind, CredentialPlace, credential_places};
pub use daemon_home::{DaemonHome, WORKTREES};
pub use decision::{Decision, PolicyVerdict};
pub use mode::{Mode, UnknownMode};
pub use offer::RuleOffer;
pub use policy::{HiddenPart, Policy};
pub use rule::{Rule, RuleError, RuleErrorKind, RuleKind};
pub use rules::Rules;
pub use scorel_shell::spelled;
pub use web_url::{WebHost, WebUrl, WebUrlError};
