/// A path of a package's outputs as tools take it: a path without a mount is one of the project.
pub fn output_path(path: &str) -> String {
    match path.starts_with('@') {
        true => path.to_owned(),
        false => format!("@project/{path}"),
    }
}
