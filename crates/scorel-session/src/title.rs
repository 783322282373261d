use scorel_proto::{Cost, ProjectId, SessionId, Usage};

/// What a title is to be made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitleRequest {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// The user's first message and the model's answer, shortened.
    pub conversation: String,
}

/// How a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitleAnswer {
    /// `None` if it wrote nothing that could be a title.
    pub title: Option<String>,
    /// As `provider:id`.
    pub model: String,
    /// If the endpoint reported it.
    pub usage: Option<Usage>,
    /// If it is known.
    pub cost: Option<Cost>,
}
