use crate::model_location::ModelLocation;
use crate::wire::ConfiguredHeaders;
use crate::{ModelConfig, SetupError};

impl ModelConfig {
    /// Checks the endpoint without calling it: its address, API, dialect and headers.
    ///
    /// # Errors
    /// What [`Connector::connect`](crate::Connector::connect) refuses, except for a missing key or
    /// model.
    pub fn check_endpoint(&self) -> Result<(), SetupError> {
        ModelLocation::of(self)?;
        ConfiguredHeaders::new(self).map(drop)
    }
}
