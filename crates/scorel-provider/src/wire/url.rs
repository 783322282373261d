use reqwest::Url;

/// Whether the last segment of the path is an API version such as `v1beta`.
pub(crate) fn has_version(base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    last.strip_prefix('v').is_some_and(|version| {
        version.starts_with(|first: char| first.is_ascii_digit())
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Appends segments to the path and keeps the query: Azure and some gateways need theirs, such as
/// `?api-version=…`.
pub(crate) fn with_path(mut url: Url, path: &str) -> Url {
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{path}"));
    url
}
