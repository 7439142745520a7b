//! Whether settings fit together: what would be unsafe, or could not work. The least value of each is in the table of
//! settings.

use super::settings::Config;
use std::fmt;
use std::path::PathBuf;

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which setting.
    pub setting: &'static str,
    /// What is wrong with it.
    pub kind: FindingKind,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Others reach the address, and there is no TLS, or nobody is asked for a token.
    Exposed {
        /// What is missing.
        missing: &'static str,
    },
    /// Others reach the address, and what is served there can have neither.
    ExposedPlain,
    /// It needs another one.
    Needs {
        /// The other one.
        other: &'static str,
    },
    /// It must be at least that.
    TooSmall {
        /// The least.
        least: &'static str,
    },
    /// It must not be more than another one.
    AboveOther {
        /// The other one.
        other: &'static str,
    },
    /// The file is not there.
    NoFile {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be the name of a database.
    BadName,
    /// It is no description of what is logged.
    BadLogLevel,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.setting;
        match &self.kind {
            FindingKind::Exposed { missing } => write!(
                f,
                "{name}: others reach this address, and there is no {missing}: set it, listen on 127.0.0.1, or say \
                 `insecure_listen_without_tls_and_auth`"
            ),
            FindingKind::ExposedPlain => write!(
                f,
                "{name}: others reach this address, and metrics have neither TLS nor tokens: listen on 127.0.0.1, or say \
                 `insecure_metrics_listen`"
            ),
            FindingKind::Needs { other } => write!(f, "{name}: needs {other} as well"),
            FindingKind::TooSmall { least } => write!(f, "{name}: must be at least {least}"),
            FindingKind::AboveOther { other } => write!(f, "{name}: must not be more than {other}"),
            FindingKind::NoFile { path } => {
                write!(f, "{name}: there is no file {}", path.display())
            }
            FindingKind::BadLogLevel => write!(
                f,
                "{name}: say error, warn, info, debug or trace, or `target=level`, with commas between"
            ),
            FindingKind::BadName => write!(
                f,
                "{name}: names of databases are a lower-case letter and then up to 63 lower-case letters, digits, `_` and `-`"
            ),
        }
    }
}

impl Config {
    /// What does not fit, if anything.
    #[must_use]
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |setting, kind| findings.push(Finding { setting, kind });
        self.check_addresses(&mut find);
        self.check_pairs(&mut find);
        self.check_order(&mut find);
        self.check_words(&mut find);
        self.check_files(&mut find);
        for (setting, least) in self.too_small() {
            find(setting, FindingKind::TooSmall { least });
        }
        findings
    }

    /// Addresses that others reach.
    fn check_addresses(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        // Whoever says this says it of all that is served.
        if self.insecure_listen_without_tls_and_auth {
            return;
        }
        if !self.listen.ip().is_loopback() {
            for (missing, file) in [
                ("tls_certificate", &self.tls_certificate),
                ("tokens", &self.tokens),
            ] {
                if file.is_none() {
                    find("listen", FindingKind::Exposed { missing });
                }
            }
        }
        let metrics = self.metrics_listen.map(|address| address.ip());
        if metrics.is_some_and(|ip| !ip.is_loopback()) && !self.insecure_metrics_listen {
            find("metrics_listen", FindingKind::ExposedPlain);
        }
    }

    /// What says nothing without another one.
    fn check_pairs(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        let is_address = stratigraph_models::is_address;
        let reranker = self.reranker.as_deref();
        for (setting, is_said, other, is_other_said) in [
            (
                "tls_certificate",
                self.tls_certificate.is_some(),
                "tls_key",
                self.tls_key.is_some(),
            ),
            (
                "tls_key",
                self.tls_key.is_some(),
                "tls_certificate",
                self.tls_certificate.is_some(),
            ),
            (
                "tls_client_ca",
                self.tls_client_ca.is_some(),
                "tls_certificate",
                self.tls_certificate.is_some(),
            ),
            ("llm", self.llm.is_some(), "model", self.model.is_some()),
            ("model", self.model.is_some(), "llm", self.llm.is_some()),
            (
                "embedder",
                self.embedder.as_deref().is_some_and(is_address),
                "embedder_model",
                self.embedder_model.is_some(),
            ),
            (
                "reranker",
                reranker.is_some_and(is_address),
                "reranker_model",
                self.reranker_model.is_some(),
            ),
        ] {
            if is_said && !is_other_said {
                find(setting, FindingKind::Needs { other });
            }
        }
    }

    /// What must fit into something else.
    fn check_order(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        for (setting, size, other, room) in [
            (
                "max_document_size",
                self.max_document_size,
                "max_bulk_message_size",
                self.max_bulk_message_size,
            ),
            (
                "max_tables_size",
                self.max_tables_size,
                "max_request_memory",
                self.max_request_memory,
            ),
            (
                "max_query_memory",
                self.max_query_memory,
                "max_total_memory",
                self.max_total_memory,
            ),
        ] {
            if size > room {
                find(setting, FindingKind::AboveOther { other });
            }
        }
    }

    /// Texts that have to be something.
    fn check_words(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        if !crate::databases::is_name(&self.default_database) {
            find("default_database", FindingKind::BadName);
        }
        if tracing_subscriber::EnvFilter::try_new(&self.log_level).is_err() {
            find("log_level", FindingKind::BadLogLevel);
        }
    }

    /// Files that have to be there.
    fn check_files(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        for (setting, path) in [
            ("tokens", &self.tokens),
            ("tls_certificate", &self.tls_certificate),
            ("tls_key", &self.tls_key),
            ("tls_client_ca", &self.tls_client_ca),
        ] {
            if let Some(path) = path.as_ref().filter(|path| !path.is_file()) {
                find(setting, FindingKind::NoFile { path: path.clone() });
            }
        }
    }
}
