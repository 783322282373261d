use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use flate2::bufread::GzDecoder;
use scorel_proto::BlobHash;
use sha2::{Digest as _, Sha256};
use tar::{Archive, Entry, EntryType};

use super::{BLOBS, BUNDLE_FORMAT, BundleInfo, BundleProblem, EVENTS, INFO, SUMS};

/// The limits of an unpacked bundle.
#[derive(Debug, Clone, Copy)]
pub struct BundleLimits {
    /// All files together, in bytes.
    pub bytes: u64,
    /// The greatest size of a blob, in bytes.
    pub blob: u64,
    pub entries: u64,
}

/// The greatest size of the list of hashes and of the description, in bytes.
const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// The hashes of the list by name. Those of files that were unpacked are taken out.
type Sums = BTreeMap<String, String>;

/// Unpacks a bundle into `dir`, an empty directory: `events.jsonl` and `blobs/`. All of it is checked
/// when this returns.
///
/// # Errors
///
/// See [`BundleProblem`]. The files unpacked before the error are worthless.
pub fn extract_bundle(
    input: impl Read,
    dir: &Path,
    limits: BundleLimits,
) -> Result<BundleInfo, BundleProblem> {
    let decoder = GzDecoder::new(BufReader::new(input));
    let mut archive = Archive::new(decoder.take(limits.bytes.saturating_add(1)));
    let info = Extraction { dir, limits }.run(&mut archive)?;
    let mut rest = archive.into_inner();
    // To its end: only there is the checksum of the whole.
    io::copy(&mut rest, &mut io::sink()).map_err(|error| BundleProblem::read(&error))?;
    if rest.limit() == 0 {
        return Err(BundleProblem::TooLarge {
            limit: limits.bytes,
        });
    }
    let mut behind = rest.into_inner().into_inner();
    match behind.fill_buf() {
        Ok([]) => Ok(info),
        Ok(_) => Err(damaged("there are bytes behind its end")),
        Err(error) => Err(BundleProblem::read(&error)),
    }
}

fn damaged(text: impl Into<String>) -> BundleProblem {
    BundleProblem::Damaged(text.into())
}

struct Extraction<'a> {
    dir: &'a Path,
    limits: BundleLimits,
}

impl Extraction<'_> {
    fn run(&self, archive: &mut Archive<impl Read>) -> Result<BundleInfo, BundleProblem> {
        let read = |error: io::Error| BundleProblem::read(&error);
        let mut sums: Option<Sums> = None;
        let mut info = None;
        let mut count = 0;
        // Raw, because the names and attributes that other entries are to have would be read into memory as a
        // whole, however long. Bundles have none of these: they are not regular files.
        for entry in archive.entries().map_err(read)?.raw(true) {
            let mut entry = entry.map_err(read)?;
            count += 1;
            if count > self.limits.entries {
                return Err(BundleProblem::TooMany {
                    limit: self.limits.entries,
                });
            }
            // `tar` adds the directory when it packs the files again.
            if entry.header().entry_type() == EntryType::Directory
                && *entry.path_bytes() == *BLOBS.as_bytes()
            {
                continue;
            }
            let name = name_of(&entry)?;
            match &mut sums {
                None if name == SUMS => sums = Some(read_sums(&mut entry)?),
                None => return Err(damaged("it does not begin with its list of hashes")),
                Some(sums) => {
                    let sum = sums.remove(&name);
                    let sum = sum.ok_or_else(|| damaged(format!("`{name}` is not in its list")))?;
                    if name == INFO {
                        info = Some(read_info(&mut entry, &sum)?);
                    } else {
                        self.unpack(&mut entry, &name, &sum)?;
                    }
                }
            }
        }
        match sums.and_then(|sums| sums.into_keys().next()) {
            Some(missing) => Err(damaged(format!("`{missing}` is missing"))),
            None => info.ok_or_else(|| damaged(format!("`{INFO}` is missing"))),
        }
    }

    /// Writes an entry to a file of its own, which must have the hash of the list.
    fn unpack(
        &self,
        entry: &mut Entry<'_, impl Read>,
        name: &str,
        sum: &str,
    ) -> Result<(), BundleProblem> {
        if let Some(hash) = name.strip_prefix(BLOBS) {
            let is_blob = hash.parse::<BlobHash>().is_ok() && hash == sum;
            if !is_blob {
                return Err(damaged(format!("`{name}` is not a blob")));
            }
            if entry.size() > self.limits.blob {
                return Err(BundleProblem::TooLarge {
                    limit: self.limits.blob,
                });
            }
            let blobs = self.dir.join("blobs");
            let made = DirBuilder::new().recursive(true).mode(0o700).create(blobs);
            made.map_err(BundleProblem::Write)?;
        } else if name != EVENTS {
            return Err(damaged(format!("`{name}` does not belong there")));
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(self.dir.join(name));
        let mut file = file.map_err(BundleProblem::Write)?;
        copy_checked(entry, name, sum, &mut file)
    }
}

/// The name of a regular file.
fn name_of(entry: &Entry<'_, impl Read>) -> Result<String, BundleProblem> {
    let path = entry.path_bytes();
    let name = std::str::from_utf8(&path).map_err(|_| damaged("a name is not text"))?;
    if entry.header().entry_type() != EntryType::Regular {
        return Err(damaged(format!("`{name}` is not a regular file")));
    }
    Ok(name.to_owned())
}

fn read_sums(entry: &mut Entry<'_, impl Read>) -> Result<Sums, BundleProblem> {
    let text = read_text(entry, SUMS)?;
    let text = String::from_utf8(text).map_err(|_| damaged("its list is not text"))?;
    let mut sums = Sums::new();
    for line in text.lines() {
        let parts = line.split_once("  ");
        let (sum, name) = parts.ok_or_else(|| damaged("its list is not one of hashes"))?;
        if sums.insert(name.to_owned(), sum.to_owned()).is_some() {
            return Err(damaged(format!("its list has `{name}` twice")));
        }
    }
    if sums.contains_key(EVENTS) && sums.contains_key(INFO) {
        return Ok(sums);
    }
    Err(damaged("its list has no session"))
}

fn read_info(entry: &mut Entry<'_, impl Read>, sum: &str) -> Result<BundleInfo, BundleProblem> {
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
    }

    let text = read_text(entry, INFO)?;
    if format!("{:x}", Sha256::digest(&text)) != sum {
        return Err(altered(INFO));
    }
    let invalid = |error: serde_json::Error| damaged(format!("`{INFO}`: {error}"));
    let Version { format } = serde_json::from_slice(&text).map_err(invalid)?;
    if format > BUNDLE_FORMAT {
        return Err(BundleProblem::Newer(format));
    }
    serde_json::from_slice(&text).map_err(invalid)
}

fn read_text(entry: &mut Entry<'_, impl Read>, name: &str) -> Result<Vec<u8>, BundleProblem> {
    if entry.size() > MAX_TEXT {
        return Err(damaged(format!("`{name}` is too long")));
    }
    let mut text = Vec::new();
    let read = entry.read_to_end(&mut text);
    read.map_err(|error| BundleProblem::read(&error))?;
    Ok(text)
}

fn altered(name: &str) -> BundleProblem {
    damaged(format!("`{name}` does not have the hash of its list"))
}

fn copy_checked(
    entry: &mut Entry<'_, impl Read>,
    name: &str,
    sum: &str,
    file: &mut File,
) -> Result<(), BundleProblem> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = entry.read(&mut buffer);
        let count = count.map_err(|error| BundleProblem::read(&error))?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        let written = file.write_all(&buffer[..count]);
        written.map_err(BundleProblem::Write)?;
    }
    file.sync_data().map_err(BundleProblem::Write)?;
    if format!("{:x}", hasher.finalize()) == sum {
        Ok(())
    } else {
        Err(altered(name))
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::Header;

    use super::super::{BundleEntry, BundleWriter};
    use super::*;

    const LIMITS: BundleLimits = BundleLimits {
        bytes: 1 << 40,
        blob: 1 << 30,
        entries: 10,
    };

    /// An archive that begins with an entry of this type. Its content is left out.
    fn begun_with(kind: u8, size: u64) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::new(kind));
        header.set_path("long").unwrap();
        header.set_size(size);
        header.set_mode(0o600);
        header.set_cksum();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(header.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_only_describes_another_entry_is_refused_unread() {
        // Names and links of GNU, attributes of PAX for one file and for all, a sparse file.
        for kind in *b"LKxgS" {
            let bundle = begun_with(kind, 1 << 34);
            let nowhere = Path::new("/nonexistent");
            let problem = extract_bundle(bundle.as_slice(), nowhere, LIMITS).unwrap_err();
            assert_eq!(
                problem.to_string(),
                damaged("`long` is not a regular file").to_string(),
                "{}",
                char::from(kind)
            );
        }
    }

    #[test]
    fn a_bundle_that_was_written_has_regular_files_only_and_their_whole_names() {
        let hash: BlobHash = "a".repeat(64).parse().unwrap();
        let entries = [INFO, EVENTS].map(|name| BundleEntry {
            name: name.to_owned(),
            sha256: "0".repeat(64),
            size: 1,
        });
        let mut entries = entries.to_vec();
        entries.push(BundleEntry::blob(&hash, 1));
        let mut writer = BundleWriter::new(Vec::new(), &entries).unwrap();
        for entry in &entries {
            writer.add(&entry.name, 1, &b"x"[..]).unwrap();
        }
        let bundle = writer.finish().unwrap();
        let mut archive = Archive::new(GzDecoder::new(bundle.as_slice()));
        let names = archive.entries().unwrap().raw(true);
        let names: Vec<String> = names
            .map(|entry| name_of(&entry.unwrap()).unwrap())
            .collect();
        let blob = format!("{BLOBS}{hash}");
        assert_eq!(names, [SUMS, INFO, EVENTS, blob.as_str()]);
    }
}
