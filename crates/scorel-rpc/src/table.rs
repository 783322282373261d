use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use jsonrpsee::types::{ErrorObjectOwned, Params as RawParams};
use jsonrpsee::{Extensions, MethodCallback, Methods, RpcModule};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::value::RawValue;

use crate::reply::error_object;
use crate::{CallObserver, MethodSpec, Params, RpcCall};

#[derive(Debug, thiserror::Error)]
#[error("method `{0}` is registered twice")]
pub struct DuplicateMethod(pub &'static str);

/// A handler of any method, as one type.
type Handler<Ctx> = Arc<dyn Fn(Arc<Ctx>, RpcCall, Params) -> HandlerFuture + Send + Sync>;
type HandlerFuture = Pin<Box<dyn Future<Output = Result<Box<RawValue>, RpcError>> + Send>>;

/// A builder of a [`MethodTable`], whose handlers share a context.
#[derive(Debug)]
pub struct Table<Ctx> {
    module: RpcModule<Ctx>,
    specs: HashMap<&'static str, MethodSpec>,
    observer: Option<Arc<dyn CallObserver>>,
}

impl<Ctx: Send + Sync + 'static> Table<Ctx> {
    pub fn new(context: Arc<Ctx>) -> Self {
        Self {
            module: RpcModule::from_arc(context),
            specs: HashMap::new(),
            observer: None,
        }
    }

    /// Notifies `observer` of every answered call.
    pub fn observe(&mut self, observer: Arc<dyn CallObserver>) {
        self.observer = Some(observer);
    }

    /// Adds a method. The handler returns its result as JSON text, so that a large one is serialised
    /// once.
    ///
    /// Handlers run up to their first pending await in order of arrival. They are dropped when the
    /// connection ends, so they must be cancel-safe. A panic becomes `internal_error`.
    ///
    /// # Errors
    /// There is a method of this name.
    pub fn method<F, R>(&mut self, spec: MethodSpec, handler: F) -> Result<(), DuplicateMethod>
    where
        F: Fn(Arc<Ctx>, RpcCall, Params) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Box<RawValue>, RpcError>> + Send + 'static,
    {
        self.register(
            spec,
            Arc::new(move |context, call, params| Box::pin(handler(context, call, params))),
        )
    }

    /// Not generic, or the compiler makes a copy of jsonrpsee's call path for every method.
    fn register(&mut self, spec: MethodSpec, handler: Handler<Ctx>) -> Result<(), DuplicateMethod> {
        let callback = move |raw: RawParams<'static>, context: Arc<Ctx>, extensions: Extensions| {
            let handler = Arc::clone(&handler);
            async move {
                let call = call_of(&extensions)?;
                let params = Params::new(raw, spec.params).map_err(|e| error_object(&e))?;
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

    pub fn build(self) -> Arc<MethodTable> {
        Arc::new(MethodTable {
            methods: self.module.into(),
            specs: self.specs,
            observer: self.observer,
        })
    }
}

/// The call that [`Dispatcher`](crate::dispatch) put into the extensions, which is how jsonrpsee hands
/// a handler anything besides params.
fn call_of(extensions: &Extensions) -> Result<RpcCall, ErrorObjectOwned> {
    extensions.get::<RpcCall>().cloned().ok_or_else(|| {
        let message = "the method was not called by the connection driver";
        error_object(&RpcError::new(ErrorCode::InternalError, message))
    })
}

/// The methods of a service: jsonrpsee's table, and what it does not know of a method.
#[derive(Debug)]
pub struct MethodTable {
    methods: Methods,
    specs: HashMap<&'static str, MethodSpec>,
    observer: Option<Arc<dyn CallObserver>>,
}

impl MethodTable {
    /// Every method, unordered.
    pub fn specs(&self) -> impl Iterator<Item = &MethodSpec> {
        self.specs.values()
    }

    pub(crate) const fn observer(&self) -> Option<&Arc<dyn CallObserver>> {
        self.observer.as_ref()
    }

    pub(crate) fn find(&self, name: &str) -> Option<(&MethodSpec, &MethodCallback)> {
        Some((self.specs.get(name)?, self.methods.method(name)?))
    }
}
