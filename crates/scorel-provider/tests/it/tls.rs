//! Servers with an untrusted certificate.

use std::sync::Arc;

use scorel_engine::ErrorCategory;
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret, Timeouts};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::collected::{KEY, collect, question};

/// A server with a self-signed certificate for its address. The channel yields for each connection the
/// first bytes sent over it, or `None` if the client aborted.
async fn impostor() -> (String, mpsc::Receiver<Option<Vec<u8>>>) {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let (tell, told) = mpsc::channel(8);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let said = match acceptor.accept(stream).await {
                Ok(mut stream) => {
                    let mut bytes = vec![0; 4096];
                    let read = stream.read(&mut bytes).await.unwrap_or_default();
                    bytes.truncate(read);
                    Some(bytes).filter(|bytes| !bytes.is_empty())
                }
                Err(_) => None,
            };
            let _closed = tell.send(said).await;
        }
    });
    (url, told)
}

#[tokio::test]
async fn an_untrusted_certificate_is_refused_and_nothing_is_sent() {
    let (url, mut told) = impostor().await;
    let config = ModelConfig::custom("impostor", "openai-completions", url, "m");
    let key = Some(Secret::new(KEY));
    let connector = Connector::new(Timeouts::default());
    let provider = connector
        .connect(&config, key.clone(), Arc::new(NoBlobs))
        .unwrap();
    let got = collect(provider.stream(question())).await;
    assert_eq!(got.error().category, ErrorCategory::Network);
    let message = &got.error().message;
    assert!(message.to_lowercase().contains("certificate"), "{message}");
    assert_eq!(told.recv().await.unwrap(), None);
    assert!(connector.list_models(&config, key).await.is_err());
    assert_eq!(told.recv().await.unwrap(), None);
}
