use std::fs;
use std::path::Path;

use scorel_extension::ExtensionId;
use scorel_extension::program::{MANIFEST, Manifest};
use scorel_plugin::{PluginReading, is_plugin};

use crate::commands::install::{InstallWords, Installable};

/// Extensions and plugins, as a kind of directory in the home.
#[derive(Debug)]
pub(super) struct Extensions;

impl Installable for Extensions {
    type Id = ExtensionId;

    const WORDS: &'static InstallWords = &InstallWords {
        noun: "extension",
        one: "an extension",
        plural: "extensions",
        exists: "extension_exists",
        unusable: "no_extension",
        list_hint: "`scorelctl ext list` lists them",
        check_hint: "`scorelctl ext check DIR` tells all that is wrong; `--id ID` gives it another name",
    };

    fn is_one(dir: &Path) -> bool {
        dir.join(MANIFEST).is_file() || is_plugin(dir)
    }

    fn identify(root: &Path, id: Option<&ExtensionId>) -> Result<ExtensionId, String> {
        if let Ok(text) = fs::read_to_string(root.join(MANIFEST)) {
            let read = Manifest::read(&text, id.map(ExtensionId::as_str));
            return read.map(|manifest| manifest.id).map_err(|problems| {
                let first = problems
                    .first()
                    .map(|problem| format!("{MANIFEST}: {problem}"));
                first.unwrap_or_default()
            });
        }
        let reading = PluginReading::of(root, id);
        // The one that matters most ended the reading.
        let last = || {
            reading
                .problems
                .last()
                .map_or_else(String::new, ToString::to_string)
        };
        reading
            .plugin
            .as_ref()
            .map(|plugin| plugin.id.clone())
            .ok_or_else(last)
    }
}
