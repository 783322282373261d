use scorel_proto::{GetUsageParams, GetUsageResult, SessionId, UsageGrouping};

use super::Sessions;
use crate::SessionError;
use crate::usage_index::UsageQuery;

impl Sessions {
    /// Sums up what the model calls of all sessions used and cost. Rows of sessions have their titles;
    /// names of projects are the host's to add.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidParams`] if a day is not one, otherwise if the directory of sessions
    /// cannot be read.
    pub async fn usage(&self, params: &GetUsageParams) -> Result<GetUsageResult, SessionError> {
        let query = UsageQuery::parse(params)?;
        let mut result = self
            .on_disk(move |shared| shared.usage.report(&query))
            .await??;
        if params.by == UsageGrouping::Session {
            let catalog = self.shared.read_catalog().await?;
            for row in &mut result.rows {
                let id = row.key.parse::<SessionId>().ok();
                row.name = id.and_then(|id| catalog.title(id));
            }
        }
        Ok(result)
    }
}
