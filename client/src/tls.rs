//! Whom the client trusts, and who it says it is.

use crate::Error;
use std::fmt;
use std::path::Path;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// Settings of TLS. Without a certificate authority those of the system are trusted.
#[derive(Clone, Default)]
#[must_use]
pub struct Tls {
    authorities: Vec<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
    domain: Option<String>,
}

impl Tls {
    /// Trusts the authorities of the system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts an authority, given as PEM, and no longer those of the system.
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.authorities.push(pem.into());
        self
    }

    /// Trusts an authority in a PEM file, and no longer those of the system.
    ///
    /// # Errors
    /// [`Error::Settings`] if the file cannot be read.
    pub fn ca_file(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let pem = read("tls.ca_file", path.as_ref())?;
        Ok(self.ca_pem(pem))
    }

    /// Shows a certificate to servers that ask for one, given with its key as PEM.
    pub fn identity_pem(
        mut self,
        certificate: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.identity = Some((certificate.into(), key.into()));
        self
    }

    /// Shows a certificate to servers that ask for one, given with its key as PEM files.
    ///
    /// # Errors
    /// [`Error::Settings`] if a file cannot be read.
    pub fn identity_files(
        self,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, Error> {
        let certificate = read("tls.identity_files", certificate.as_ref())?;
        let key = read("tls.identity_files", key.as_ref())?;
        Ok(self.identity_pem(certificate, key))
    }

    /// The name that the server's certificate must have, if it is not the one in the address.
    pub fn domain(mut self, name: impl Into<String>) -> Self {
        self.domain = Some(name.into());
        self
    }

    pub(crate) fn config(&self) -> ClientTlsConfig {
        let mut config = ClientTlsConfig::new();
        if self.authorities.is_empty() {
            config = config.with_native_roots();
        }
        for pem in &self.authorities {
            config = config.ca_certificate(Certificate::from_pem(pem));
        }
        if let Some((certificate, key)) = &self.identity {
            config = config.identity(Identity::from_pem(certificate, key));
        }
        match &self.domain {
            Some(name) => config.domain_name(name.clone()),
            None => config,
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tls")
            .field("authorities", &self.authorities.len())
            .field("identity", &self.identity.is_some())
            .field("domain", &self.domain)
            .finish()
    }
}

fn read(setting: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        Error::settings(setting, format!("cannot read {}: {error}", path.display()))
    })
}
