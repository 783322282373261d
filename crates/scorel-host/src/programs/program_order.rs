use std::fs::File;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use scorel_config::Config;
use scorel_exec::{
    CommandLine, CommandOrder, CommandResources, Environment, ResourceLimits, Sandbox,
};
use scorel_process::{Secrets, ServiceFraming, StartedProgram, find_program};
use scorel_proto::ErrorChain;

use super::program_means::ProgramMeans;

/// A program to be started, beside the daemon's own means.
pub(crate) struct ProgramOrder<'a> {
    pub(crate) program: &'a str,
    pub(crate) arguments: &'a [String],
    /// The directory that it runs in.
    pub(crate) directory: PathBuf,
    /// Before its secrets.
    pub(crate) environment: Environment,
    /// Variables, each with the name of the secret that it gets.
    pub(crate) secret_env: Vec<(&'a str, &'a str)>,
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) limits: ResourceLimits,
    pub(crate) framing: ServiceFraming,
}

impl ProgramMeans {
    /// Starts a program, as commands of a place are. Reads the secrets; blocks. The error is a sentence without its full stop.
    pub(crate) fn start(
        &self,
        config: &Config,
        place: &Path,
        order: ProgramOrder<'_>,
    ) -> Result<StartedProgram, String> {
        let mut environment = order.environment;
        let secrets = self.secrets(&order.secret_env, &mut environment)?;
        let program = find_program(order.program, &environment, &order.directory);
        let command = CommandOrder {
            command: CommandLine::Program {
                program: program.map_err(|missing| missing.to_string())?,
                arguments: order.arguments.to_vec(),
            },
            sandbox: order.sandbox,
            umask: Some(self.commands.umask_now(config, place)),
            environment,
            space: None,
            // Its files are its own, also when no session is loaded.
            resources: Some(CommandResources {
                limits: order.limits,
                scratch: Vec::new(),
                group: None,
            }),
            timeout: None,
            spool_dir: None,
        };
        let directory = File::open(&order.directory)
            .map_err(|error| format!("its directory cannot be opened: {error}"))?;
        let started = self.supervisors.start_piped(command, directory.as_fd());
        Ok(StartedProgram {
            process: started.map_err(|error| ErrorChain(&error).to_string())?,
            secrets: Secrets::named(secrets),
            framing: order.framing,
        })
    }

    /// A secret by its name. Reads the file; blocks. The error is a sentence without its full stop.
    pub(crate) fn secret(&self, name: &str) -> Result<String, String> {
        let value = self.secrets.resolve(name);
        let missing = || {
            let file = self.secrets.file().display();
            format!("it needs the secret `{name}`: put `{name}=…` into {file}")
        };
        value
            .map_err(|error| error.to_string())?
            .ok_or_else(missing)
    }

    /// The secrets by name, which the environment gets.
    fn secrets(
        &self,
        wanted: &[(&str, &str)],
        environment: &mut Environment,
    ) -> Result<Vec<(String, String)>, String> {
        let mut found = Vec::new();
        for (variable, name) in wanted {
            let value = self.secret(name)?;
            environment.set(variable, &value);
            found.push(((*name).to_owned(), value));
        }
        Ok(found)
    }
}
