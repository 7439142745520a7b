//! TLS: certificates that are read again when they change.
//!
//! Each handshake takes what is current, so a new certificate serves the next connection, and the ones that are open
//! stay as they are. What cannot be read leaves the old one in place, and the log says so.

use crate::config::Config;
use crate::stamp::Stamp;
use arc_swap::ArcSwap;
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why there can be no TLS. What is in a key is never said.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read, or is no PEM of that kind.
    #[error("{} is no {what} in PEM: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Certificate, key and authorities do not fit together.
    #[error("the certificate and its key do not fit: {0}")]
    Unfit(String),
}

/// The current settings of TLS, and how their files were when they were read.
pub(crate) struct Tls {
    files: Files,
    current: ArcSwap<ServerConfig>,
    seen: parking_lot::Mutex<Vec<Stamp>>,
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
    client_ca: Option<PathBuf>,
}

impl Tls {
    /// What the settings say; none without a certificate.
    pub(crate) fn new(config: &Config) -> Result<Option<Self>, TlsError> {
        let (Some(certificate), Some(key)) = (&config.tls_certificate, &config.tls_key) else {
            return Ok(None);
        };
        let files = Files {
            certificate: certificate.clone(),
            key: key.clone(),
            client_ca: config.tls_client_ca.clone(),
        };
        let seen = files.stamps();
        let current = ArcSwap::from_pointee(files.read()?);
        Ok(Some(Self {
            files,
            current,
            seen: parking_lot::Mutex::new(seen),
        }))
    }

    /// What the next handshake takes.
    pub(crate) fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }

    /// Reads the files again if one of them has changed; whether one had.
    pub(crate) fn reload(&self) -> Result<bool, TlsError> {
        let now = self.files.stamps();
        let mut seen = self.seen.lock();
        if *seen == now {
            return Ok(false);
        }
        let config = self.files.read()?;
        self.current.store(Arc::new(config));
        *seen = now;
        Ok(true)
    }
}

impl Files {
    fn stamps(&self) -> Vec<Stamp> {
        let files = [
            Some(&self.certificate),
            Some(&self.key),
            self.client_ca.as_ref(),
        ];
        files
            .into_iter()
            .flatten()
            .map(|file| Stamp::of(file))
            .collect()
    }

    fn read(&self) -> Result<ServerConfig, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(|error| TlsError::Unfit(error.to_string()))?;
        let builder = match &self.client_ca {
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for authority in certificates(path)? {
                    roots
                        .add(authority)
                        .map_err(|error| unreadable(path, "certificate of an authority", error))?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder.with_client_cert_verifier(
                    verifier.map_err(|error| TlsError::Unfit(error.to_string()))?,
                )
            }
            None => builder.with_no_client_auth(),
        };
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| unreadable(&self.key, "private key", error))?;
        let chain = certificates(&self.certificate)?;
        let mut config = builder
            .with_single_cert(chain, key)
            .map_err(|error| TlsError::Unfit(error.to_string()))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| unreadable(path, "certificate", error))?;
    if read.is_empty() {
        return Err(unreadable(path, "certificate", "there is none in it"));
    }
    Ok(read)
}

fn unreadable(path: &Path, what: &'static str, problem: impl std::fmt::Display) -> TlsError {
    TlsError::File {
        path: path.to_path_buf(),
        what,
        problem: problem.to_string(),
    }
}
