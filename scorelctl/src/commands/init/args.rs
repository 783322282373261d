use clap::Args;
use clap::builder::NonEmptyStringValueParser;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Provider [default: prompt; with --yes the first one found]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) provider: Option<String>,
    /// Model id at the provider [default: prompt; with --yes the provider's first one]
    #[arg(long, short, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,
    /// Base URL of the endpoint [default: the provider's own]
    #[arg(long, value_name = "URL", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) base_url: Option<String>,
    /// API of a provider that is not built in, such as openai-completions
    #[arg(long, value_name = "WIRE", requires = "base_url", requires = "provider",
        value_parser = NonEmptyStringValueParser::new())]
    pub(crate) api: Option<String>,
    /// Environment variable that holds the API key [default: the provider's usual one]
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) key_env: Option<String>,
    /// Ask for the API key, also if there is one: hidden at a terminal, otherwise the first line of
    /// standard input [default: only if none is found]
    #[arg(long)]
    pub(crate) ask_key: bool,
    /// Do not prompt for provider and model
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Replace the model in an existing configuration, and the key in the env file
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not test the model
    #[arg(long)]
    pub(crate) no_check: bool,
}
