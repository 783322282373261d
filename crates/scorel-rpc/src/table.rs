use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use jsonrpsee::types::{ErrorObjectOwned, Params as RawParams};
use jsonrpsee::{Extensions, MethodCallback, Methods, RpcModule};
use scorel_proto::{Access, ErrorCode, RpcError};
use serde_json::value::RawValue;

use crate::reply::error_object;
use crate::{Call, Params};

/// What a method does to its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// Nothing: one call, one reply.
    Call,
    /// It begins a subscription, so it cannot be called in a batch or as a notification.
    Subscribe,
}

/// How a method is called.
#[derive(Debug, Clone, Copy)]
pub struct MethodSpec {
    /// The name.
    pub name: &'static str,
    /// What the caller needs.
    pub access: Access,
    /// What it does to its connection.
    pub kind: MethodKind,
    /// The names of the params, in the order of positional params. Asked for once, when the first
    /// call comes with positional params.
    pub params: fn() -> Vec<String>,
    /// How large a reply may become, in bytes, where that is more than a few KiB. It counts as
    /// [`Limits::in_flight`](crate::Limits::in_flight) while a call is in flight.
    pub reply: usize,
}

/// A method was registered before.
#[derive(Debug, thiserror::Error)]
#[error("method `{0}` is registered twice")]
pub struct DuplicateMethod(pub &'static str);

/// Methods being collected, with the state that their handlers share.
#[derive(Debug)]
pub struct Table<Ctx> {
    module: RpcModule<Ctx>,
    specs: HashMap<&'static str, MethodSpec>,
}

impl<Ctx: Send + Sync + 'static> Table<Ctx> {
    /// A table without methods.
    #[must_use]
    pub fn new(context: Arc<Ctx>) -> Self {
        Self {
            module: RpcModule::from_arc(context),
            specs: HashMap::new(),
        }
    }

    /// Adds a method. The handler returns its result as JSON text, which may be large.
    ///
    /// A handler runs up to its first pending await in order of arrival; it is dropped when its
    /// connection ends, so it must be cancel-safe. One that panics answers `internal_error`.
    ///
    /// # Errors
    /// There is a method of this name.
    pub fn method<F, R>(&mut self, spec: MethodSpec, handler: F) -> Result<(), DuplicateMethod>
    where
        F: Fn(Arc<Ctx>, Call, Params) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Box<RawValue>, RpcError>> + Send + 'static,
    {
        let names = Arc::new(LazyLock::new(spec.params));
        let callback = move |raw: RawParams<'static>, context: Arc<Ctx>, extensions: Extensions| {
            let (handler, names) = (handler.clone(), Arc::clone(&names));
            async move {
                let call = circumstances(&extensions)?;
                let params = Params::new(raw, &names).map_err(|e| error_object(&e))?;
                let result = handler(context, call, params).await;
                result.map_err(|error| error_object(&error))
            }
        };
        self.module
            .register_async_method(spec.name, callback)
            .map_err(|_| DuplicateMethod(spec.name))?;
        self.specs.insert(spec.name, spec);
        Ok(())
    }

    /// The table, ready to be served.
    #[must_use]
    pub fn build(self) -> Arc<MethodTable> {
        Arc::new(MethodTable {
            methods: self.module.into(),
            specs: self.specs,
        })
    }
}

fn circumstances(extensions: &Extensions) -> Result<Call, ErrorObjectOwned> {
    extensions.get::<Call>().cloned().ok_or_else(|| {
        let message = "the method was called past the connection driver";
        error_object(&RpcError::new(ErrorCode::InternalError, message))
    })
}

/// The methods of a service.
#[derive(Debug)]
pub struct MethodTable {
    methods: Methods,
    specs: HashMap<&'static str, MethodSpec>,
}

impl MethodTable {
    /// Every method, in no particular order.
    pub fn specs(&self) -> impl Iterator<Item = &MethodSpec> {
        self.specs.values()
    }

    pub(crate) fn find(&self, name: &str) -> Option<(&MethodSpec, &MethodCallback)> {
        self.specs.get(name).zip(self.methods.method(name))
    }
}
