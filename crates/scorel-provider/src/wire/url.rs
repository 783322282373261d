use reqwest::Url;

/// Returns whether the last segment of the path is an API version such as `v1beta`.
pub(crate) fn has_version(base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    last.strip_prefix('v').is_some_and(|version| {
        version.starts_with(|first: char| first.is_ascii_digit())
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Appends a path and keeps the query: Azure and some gateways need theirs, such as `?api-version=…`.
pub(crate) fn with_path(url: Url, path: &str) -> Url {
    with_segments(url, path.split('/'))
}

/// Appends encoded segments to the path. None leads out of it: `.` and `..` are left out.
pub(crate) fn with_segments<'a>(mut url: Url, segments: impl Iterator<Item = &'a str>) -> Url {
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&base);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}
