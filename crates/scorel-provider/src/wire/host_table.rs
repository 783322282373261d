/// The entry for a host. A name that begins with a dot matches every host with that suffix, any
/// other name only itself.
pub(crate) fn find_host<T: Copy>(table: &[(&str, T)], host: &str) -> Option<T> {
    let matches = |name: &str| host == name || name.starts_with('.') && host.ends_with(name);
    let mut found = table.iter().filter(|(name, _)| matches(name));
    found.next().map(|(_, entry)| *entry)
}
