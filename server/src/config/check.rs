//! Whether settings fit together: what would be unsafe, or could not work.

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
        least: String,
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
        if !self.listen.ip().is_loopback() && !self.insecure_listen_without_tls_and_auth {
            if self.tls_certificate.is_none() {
                find(
                    "listen",
                    FindingKind::Exposed {
                        missing: "tls_certificate",
                    },
                );
            }
            if self.tokens.is_none() {
                find("listen", FindingKind::Exposed { missing: "tokens" });
            }
        }
        let metrics = self.metrics_listen.map(|address| address.ip());
        if metrics.is_some_and(|ip| !ip.is_loopback())
            && !self.insecure_metrics_listen
            && !self.insecure_listen_without_tls_and_auth
        {
            find("metrics_listen", FindingKind::ExposedPlain);
        }
        if self.tls_certificate.is_some() && self.tls_key.is_none() {
            find("tls_certificate", FindingKind::Needs { other: "tls_key" });
        }
        if self.tls_key.is_some() && self.tls_certificate.is_none() {
            find(
                "tls_key",
                FindingKind::Needs {
                    other: "tls_certificate",
                },
            );
        }
        if self.tls_client_ca.is_some() && self.tls_certificate.is_none() {
            find(
                "tls_client_ca",
                FindingKind::Needs {
                    other: "tls_certificate",
                },
            );
        }
        if self.llm.is_some() && self.model.is_none() {
            find("llm", FindingKind::Needs { other: "model" });
        }
        if self.model.is_some() && self.llm.is_none() {
            find("model", FindingKind::Needs { other: "llm" });
        }
        for (setting, name, other, model) in [
            (
                "embedder",
                Some(&self.embedder),
                "embedder_model",
                &self.embedder_model,
            ),
            (
                "reranker",
                self.reranker.as_ref(),
                "reranker_model",
                &self.reranker_model,
            ),
        ] {
            let is_address = name.is_some_and(|name| stratigraph_models::is_address(name));
            if is_address && model.is_none() {
                find(setting, FindingKind::Needs { other });
            }
        }
        if self.max_document_size > self.max_bulk_message_size {
            let other = "max_bulk_message_size";
            find("max_document_size", FindingKind::AboveOther { other });
        }
        if self.max_tables_size > self.max_request_memory {
            let other = "max_request_memory";
            find("max_tables_size", FindingKind::AboveOther { other });
        }
        if !crate::databases::is_name(&self.default_database) {
            find("default_database", FindingKind::BadName);
        }
        if tracing_subscriber::EnvFilter::try_new(&self.log_level).is_err() {
            find("log_level", FindingKind::BadLogLevel);
        }
        if self.max_query_memory > self.max_total_memory {
            find(
                "max_query_memory",
                FindingKind::AboveOther {
                    other: "max_total_memory",
                },
            );
        }
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
        self.check_least(&mut find);
        findings
    }

    /// Limits that would let nothing through.
    fn check_least(&self, find: &mut impl FnMut(&'static str, FindingKind)) {
        for (setting, value) in [
            ("max_connections", self.max_connections),
            (
                "max_streams_per_connection",
                self.max_streams_per_connection,
            ),
            ("max_queries", self.max_queries),
            ("max_databases", self.max_databases),
            ("max_transactions", self.max_transactions),
            ("max_write_transactions", self.max_write_transactions),
            ("max_bulk_writes", self.max_bulk_writes),
            ("max_share", self.max_share),
            ("model_calls", self.model_calls),
            ("max_documents", self.max_documents),
            ("max_ingestions", self.max_ingestions),
            ("max_prepared", self.max_prepared),
            ("max_search_results", self.max_search_results),
            ("max_batch_searches", self.max_batch_searches),
        ] {
            if value == 0 {
                find(
                    setting,
                    FindingKind::TooSmall {
                        least: "1".to_owned(),
                    },
                );
            }
        }
        for (setting, value) in [("max_rows", self.max_rows), ("max_steps", self.max_steps)] {
            if value == 0 {
                let least = "1".to_owned();
                find(setting, FindingKind::TooSmall { least });
            }
        }
        for (setting, size, least) in [
            ("max_request_size", self.max_request_size, 4 << 10),
            ("max_bulk_message_size", self.max_bulk_message_size, 4 << 10),
            ("max_document_size", self.max_document_size, 4 << 10),
            ("max_tables_size", self.max_tables_size, 4 << 10),
            ("max_request_memory", self.max_request_memory, 1 << 20),
            ("max_response_size", self.max_response_size, 64 << 10),
            ("max_query_memory", self.max_query_memory, 1 << 20),
            ("max_transaction_size", self.max_transaction_size, 64 << 10),
            ("max_header_size", self.max_header_size, 4 << 10),
            ("vector_index_size", self.vector_index_size, 4 << 20),
            ("write_buffer_size", self.write_buffer_size, 64 << 10),
        ] {
            if size.0 < least {
                let least = super::Size(least).to_string();
                find(setting, FindingKind::TooSmall { least });
            }
        }
        for (setting, period) in [
            ("max_query_time", self.max_query_time),
            ("max_stall", self.max_stall),
            ("max_transaction_idle", self.max_transaction_idle),
            ("max_transaction_time", self.max_transaction_time),
            ("max_ingestion_idle", self.max_ingestion_idle),
            ("max_ingestion_time", self.max_ingestion_time),
            ("reload_interval", self.reload_interval),
            ("model_timeout", self.model_timeout),
            ("keep_alive_interval", self.keep_alive_interval),
            ("keep_alive_timeout", self.keep_alive_timeout),
            ("handshake_limit", self.handshake_limit),
            ("max_bulk_time", self.max_bulk_time),
        ] {
            if period.millis() < 10 {
                find(
                    setting,
                    FindingKind::TooSmall {
                        least: "10ms".to_owned(),
                    },
                );
            }
        }
    }
}
