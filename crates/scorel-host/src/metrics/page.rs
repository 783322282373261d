use std::fmt;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_rpc::{HttpDocument, HttpDocuments};

/// The version of the text format: a scraper that gets none may take it for another.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `/metrics`, and no other path.
pub(crate) struct MetricsPage<F>(pub(crate) F);

impl<F> fmt::Debug for MetricsPage<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MetricsPage")
    }
}

impl<F: Fn() -> String + Send + Sync> HttpDocuments for MetricsPage<F> {
    fn find(&self, path: &str) -> Option<BoxFuture<'static, HttpDocument>> {
        (path == "/metrics").then(|| {
            let document = HttpDocument {
                content_type: CONTENT_TYPE,
                text: (self.0)(),
            };
            std::future::ready(document).boxed()
        })
    }
}
