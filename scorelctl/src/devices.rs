//! The machines whose daemons `--remote` reaches.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fs2::FileExt as _;
use scorel_client::{DaemonHome, SshHost, read_home_file};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::similar::similar;

/// The version of the file. A file of another one is left alone.
const VERSION: u32 = 1;

/// The most machines, so that the file stays as small as it can be read.
const MAX_DEVICES: usize = 100;

/// A machine and the way to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// `ssh:[USER@]HOST`.
    pub(crate) address: String,
}

/// `devices.json` in the home.
#[derive(Debug)]
pub(crate) struct Devices<'a> {
    home: &'a DaemonHome,
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct DevicesFile {
    version: u32,
    devices: Vec<Device>,
}

#[derive(Deserialize)]
struct FileVersion {
    version: u32,
}

impl Device {
    /// The way of an address.
    pub(crate) fn ssh(&self) -> Result<SshHost, Failure> {
        ssh_host(&self.address).map_err(|error| {
            let message = format!("cannot use the address of {}: {error}", self.name);
            Failure::usage(message)
        })
    }
}

/// The host of `ssh:[USER@]HOST`.
pub(crate) fn ssh_host(address: &str) -> Result<SshHost, String> {
    let host = address
        .strip_prefix("ssh:")
        .ok_or("expected ssh:[USER@]HOST")?;
    host.parse()
        .map_err(|error: scorel_client::SshHostError| error.to_string())
}

/// A name that needs no quotes in a shell, and that is not read as an option.
pub(crate) fn device_name(text: &str) -> Result<String, String> {
    let is_usual = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    let begins = text.starts_with(|char: char| char.is_ascii_alphanumeric());
    if begins && text.chars().all(is_usual) && text.len() <= 64 {
        return Ok(text.to_owned());
    }
    Err(
        "a name has up to 64 letters, digits, `.`, `_` and `-`, and begins with a letter or digit"
            .to_owned(),
    )
}

impl<'a> Devices<'a> {
    pub(crate) fn of(home: &'a DaemonHome) -> Self {
        Self {
            home,
            path: home.path().join("devices.json"),
        }
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> Result<Vec<Device>, Failure> {
        let bytes = match read_home_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|error| self.unusable(&error.to_string()))?,
        };
        match serde_json::from_slice(&bytes) {
            Ok(FileVersion { version: VERSION }) => {}
            Ok(FileVersion { version }) => {
                let why = format!("it has version {version}, and this program knows {VERSION}");
                return Err(self
                    .unusable(&why)
                    .hint("a newer scorelctl wrote it: use that one"));
            }
            Err(error) => return Err(self.damaged(&error)),
        }
        let file: DevicesFile =
            serde_json::from_slice(&bytes).map_err(|error| self.damaged(&error))?;
        Ok(file.devices)
    }

    /// The way to a machine.
    pub(crate) fn find(&self, name: &str) -> Result<SshHost, Failure> {
        let all = self.all()?;
        match all.iter().find(|device| device.name == name) {
            Some(device) => device.ssh(),
            None => Err(unknown(name, &all)),
        }
    }

    /// Adds a machine. The same one again changes nothing.
    pub(crate) fn add(&self, device: Device) -> Result<(), Failure> {
        let _lock = self.lock()?;
        let mut all = self.all()?;
        if let Some(known) = all.iter().find(|known| known.name == device.name) {
            return match *known == device {
                true => Ok(()),
                false => Err(taken(known)),
            };
        }
        if all.len() >= MAX_DEVICES {
            let message = format!("there are {MAX_DEVICES} machines, which is the most");
            return Err(Failure::refused("too_many", message)
                .hint("`scorelctl remote remove NAME` removes one"));
        }
        all.push(device);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        self.write(all)
    }

    /// Fails if the name is that of another machine.
    pub(crate) fn check_free(&self, device: &Device) -> Result<(), Failure> {
        let all = self.all()?;
        let known = all.iter().find(|known| known.name == device.name);
        known
            .filter(|known| *known != device)
            .map_or(Ok(()), |known| Err(taken(known)))
    }

    /// Removes a machine, and returns it.
    pub(crate) fn remove(&self, name: &str) -> Result<Device, Failure> {
        let _lock = self.lock()?;
        let mut all = self.all()?;
        let Some(at) = all.iter().position(|device| device.name == name) else {
            return Err(unknown(name, &all));
        };
        let removed = all.remove(at);
        self.write(all)?;
        Ok(removed)
    }

    /// Two commands at once must not undo each other's change. The lock is that of the directory, so that
    /// there is no file that only serves as one.
    fn lock(&self) -> Result<File, Failure> {
        let locked = File::open(self.home.path()).and_then(|directory| {
            directory.lock_exclusive()?;
            Ok(directory)
        });
        locked.map_err(|error| self.unusable(&error.to_string()))
    }

    /// Replaces the file as a whole, with mode 0600.
    fn write(&self, devices: Vec<Device>) -> Result<(), Failure> {
        let file = DevicesFile {
            version: VERSION,
            devices,
        };
        let written = || -> io::Result<()> {
            let mut text = serde_json::to_vec_pretty(&file)?;
            text.push(b'\n');
            let directory: &Path = self.home.path();
            let mut temporary = NamedTempFile::new_in(directory)?;
            temporary.write_all(&text)?;
            temporary.as_file().sync_all()?;
            temporary.persist(&self.path)?;
            File::open(directory)?.sync_all()
        };
        written().map_err(|error| self.unusable(&error.to_string()))
    }

    fn unusable(&self, why: &str) -> Failure {
        let message = format!("cannot use {}: {why}", self.path.display());
        Failure::new(Exit::Internal, "devices", message)
    }

    fn damaged(&self, error: &serde_json::Error) -> Failure {
        self.unusable(&format!("it is damaged: {error}"))
            .hint("mend or remove it; `scorelctl remote add` adds a machine again")
    }
}

fn taken(known: &Device) -> Failure {
    let Device { name, address } = known;
    let message = format!("there is a machine {name} already, {address}");
    Failure::refused("conflict", message).hint(format!(
        "`scorelctl remote remove {name}` removes it, `--name` gives the new one another name"
    ))
}

fn unknown(name: &str, all: &[Device]) -> Failure {
    let message = format!("there is no machine `{name}`");
    let failure = Failure::refused("device_not_found", message);
    let names = all.iter().map(|device| &*device.name);
    match similar(name, names) {
        Some(name) => failure.hint(format!("did you mean `{name}`?")),
        None if all.is_empty() => failure.hint("`scorelctl remote add ssh:HOST` adds one"),
        None => failure
            .hint("`scorelctl remote list` lists them, `scorelctl remote add ssh:HOST` adds one"),
    }
}

#[cfg(test)]
mod tests;
