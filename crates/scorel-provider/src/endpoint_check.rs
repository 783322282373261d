use crate::model_location::parse_base_url;
use crate::wire::ConfiguredHeaders;
use crate::{ModelConfig, SetupError};

/// Checks an address of an endpoint: `http` or `https`, with a host and without credentials.
///
/// # Errors
/// [`SetupError::InvalidBaseUrl`], which does not repeat the address.
pub fn check_base_url(url: &str) -> Result<(), SetupError> {
    parse_base_url(url).map(drop)
}

impl ModelConfig {
    /// Checks the endpoint without calling it: its address, API, dialect and headers.
    ///
    /// # Errors
    /// What [`Connector::connect`](crate::Connector::connect) refuses, except for a missing key or
    /// model.
    pub fn check_endpoint(&self) -> Result<(), SetupError> {
        self.location()?;
        ConfiguredHeaders::new(self).map(drop)
    }
}
