use scorel_proto::ProtocolRange;

/// Two ends without a version of the protocol in common, in words.
pub(super) fn mismatch(daemon: Option<&ProtocolRange>, version: Option<&str>) -> String {
    let own = ProtocolRange::SUPPORTED;
    let name = version.map_or_else(|| "the daemon".to_owned(), |v| format!("the daemon ({v})"));
    let theirs = daemon.map_or_else(
        || "other protocol versions".to_owned(),
        |range| format!("protocol {} to {}", range.min, range.max),
    );
    format!(
        "{name} speaks {theirs}, this program {} to {}",
        own.min, own.max
    )
}
