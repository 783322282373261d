//! The tools on real directories.

mod arguments;
mod attached;
mod concurrent;
mod edit;
mod encodings;
mod escapes;
mod glob;
mod granted;
mod granted_race;
mod grep;
mod interruption;
mod kept_back;
mod patch;
mod pictures;
mod project;
mod protected;
mod race;
mod read;
mod recorded;
mod reference;
mod special_files;
mod todo;
mod toolbox;
mod write;
