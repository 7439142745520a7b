//! What is said beside an address: which database, whom to trust, and who asks.
//!
//! A token is never an argument: arguments are seen by everybody who lists processes.
//!
//! Next: `server.rs`.

use super::address::Address;
use crate::failure::Failure;
use clap::{Args, ValueHint};
use std::fs;
use std::path::PathBuf;
use stratigraph_client::{Client, ClientBuilder, Error, Tls};

/// Where a token is looked for if no file is named.
const TOKEN: &str = "STRATIGRAPH_TOKEN";

/// What is said beside an address.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "At an address")]
pub(crate) struct Access {
    /// The database of the server; its default one if not given
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// A file with the token; if not given, it is in STRATIGRAPH_TOKEN
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,
    /// Trust this authority, a PEM file, in place of those of the system
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    ca: Option<PathBuf>,
    /// Show this certificate, a PEM file, to a server that asks for one
    #[arg(long, value_name = "FILE", requires = "key", value_hint = ValueHint::FilePath)]
    cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "cert", value_hint = ValueHint::FilePath)]
    key: Option<PathBuf>,
    /// The name in the server's certificate, if it is not the one in the address
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
}

impl Access {
    /// Nothing of it means anything for a folder.
    ///
    /// # Errors
    /// Something was said.
    pub(super) fn refuse_for_folder(&self, folder: &str) -> Result<(), Failure> {
        let said = [
            ("--database", self.database.is_some()),
            ("--token-file", self.token_file.is_some()),
            ("--ca", self.ca.is_some()),
            ("--cert", self.cert.is_some()),
            ("--server-name", self.server_name.is_some()),
        ];
        match said.iter().find(|(_, said)| *said) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "{flag} is for an address such as grpc://localhost:7687, and {folder} is a folder"
            ))),
            None => Ok(()),
        }
    }

    /// The database that is meant; empty for the default one.
    ///
    /// # Errors
    /// The address names another one.
    pub(super) fn database(&self, address: &Address) -> Result<String, Failure> {
        match (&self.database, &address.database) {
            (Some(one), Some(other)) if one != other => Err(Failure::Usage(format!(
                "--database says {one}, and the address says {other}"
            ))),
            (one, other) => Ok(one.as_ref().or(other.as_ref()).cloned().unwrap_or_default()),
        }
    }

    /// A client with all of it, which has not connected yet.
    ///
    /// # Errors
    /// A file cannot be read; what is said does not fit together.
    pub(super) fn client(&self, address: &Address) -> Result<ClientBuilder, Failure> {
        let mut builder = Client::builder(&*address.endpoint).database(self.database(address)?);
        if address.is_tls {
            builder = builder.tls(self.tls().map_err(|error| usage(&error))?);
        } else if self.ca.is_some() || self.cert.is_some() || self.server_name.is_some() {
            return Err(Failure::Usage(format!(
                "certificates are for TLS, and {} has none: write grpcs://",
                address.shown
            )));
        }
        if let Some(token) = self.token()? {
            builder = builder.token(token);
        }
        Ok(builder)
    }

    fn tls(&self) -> Result<Tls, Error> {
        let mut tls = Tls::new();
        if let Some(file) = &self.ca {
            tls = tls.ca_file(file)?;
        }
        if let (Some(cert), Some(key)) = (&self.cert, &self.key) {
            tls = tls.identity_files(cert, key)?;
        }
        if let Some(name) = &self.server_name {
            tls = tls.domain(name);
        }
        Ok(tls)
    }

    fn token(&self) -> Result<Option<String>, Failure> {
        let Some(file) = &self.token_file else {
            let token = std::env::var(TOKEN).ok();
            return Ok(token.filter(|token| !token.trim().is_empty()));
        };
        let name = file.display().to_string();
        let text = fs::read_to_string(file).map_err(|source| Failure::Input {
            name: name.clone(),
            source,
        })?;
        match text.trim() {
            "" => Err(Failure::Usage(format!("{name} holds no token"))),
            token => Ok(Some(token.to_owned())),
        }
    }
}

/// A setting of the client in the words of the command line.
pub(super) fn usage(error: &Error) -> Failure {
    let text = match error {
        Error::Settings {
            setting: "token",
            problem,
        } if problem.contains("everybody between") => {
            "the token would be sent without TLS to another machine, where everybody between could read it: write grpcs://"
                .to_owned()
        }
        Error::Settings {
            setting: "tls.ca_file",
            problem,
        } => format!("--ca: {problem}"),
        Error::Settings {
            setting: "tls.identity_files",
            problem,
        } => format!("--cert and --key: {problem}"),
        other => other.to_string(),
    };
    Failure::Usage(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::read(text).unwrap().unwrap()
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let with_ca = Access {
            ca: Some("ca.pem".into()),
            ..Access::default()
        };
        let refused = with_ca.refuse_for_folder("library").unwrap_err();
        assert!(refused.to_string().starts_with("--ca is for an address"));
        let refused = with_ca.client(&address("grpc://localhost")).unwrap_err();
        assert!(refused.to_string().contains("write grpcs://"), "{refused}");
        let refused = with_ca.client(&address("grpcs://localhost")).unwrap_err();
        assert!(refused.to_string().starts_with("--ca: cannot read ca.pem"));
        let named = Access {
            database: Some("a".into()),
            ..Access::default()
        };
        assert_eq!(named.database(&address("grpc://h/a")).unwrap(), "a");
        assert_eq!(named.database(&address("grpc://h")).unwrap(), "a");
        assert!(named.database(&address("grpc://h/b")).is_err());
        let none = Access::default();
        assert_eq!(none.database(&address("grpc://h/b")).unwrap(), "b");
        assert_eq!(none.database(&address("grpc://h")).unwrap(), "");
    }
}
