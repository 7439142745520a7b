//! The table of settings.

use super::quantity::{PerMillion, Period, Size};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Makes of each line a flag, a variable of the environment, a name in the file, and a field of [`Config`]:
///
/// ```text
/// name: type = default, least value, variable, what it is;
/// ```
/// Both values are written as the file would have them. `-` is for none: a field without a default is an `Option`, and one
/// without a least value may have any, also zero.
macro_rules! settings {
    ($($heading:literal {
        $($name:ident: $type:ty = $default:tt, $least:tt, $env:literal, $doc:literal;)+
    })+) => {
        /// What the command line says, the environment among it; also what a file says.
        #[derive(Clone, Debug, Default, clap::Args, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Flags {
            /// The file with settings.
            #[arg(long, env = "STRATIGRAPH_CONFIG", value_name = "FILE", help = "Read settings from this TOML file; flags and the environment go before it")]
            #[serde(skip)]
            pub config: Option<PathBuf>,
            $($(
                #[doc = $doc]
                #[arg(long, env = $env, value_name = "VALUE", help_heading = $heading, help = settings!(@help $doc, $default, $least))]
                pub $name: Option<$type>,
            )+)+
        }

        /// The settings of a server.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Config {
            $($(
                #[doc = $doc]
                pub $name: settings!(@field $type, $default),
            )+)+
        }

        impl Flags {
            /// What these say, else what those say, else the defaults.
            pub(super) fn or(self, file: Self) -> Config {
                Config {
                    $($($name: settings!(@value_of self.$name.or(file.$name), $type, $default),)+)+
                }
            }
        }

        impl Config {
            /// The names of all settings with their variables of the environment, and what they are.
            #[must_use]
            pub fn shown(&self) -> Vec<(&'static str, &'static str, String)> {
                vec![$($((stringify!($name), $env, settings!(@show self.$name, $default)),)+)+]
            }

            /// The settings that lie below their least value, with that value.
            pub(super) fn too_small(&self) -> Vec<(&'static str, &'static str)> {
                let all: &[(&'static str, Option<&'static str>)] =
                    &[$($((stringify!($name), settings!(@too_small self.$name, $type, $least)),)+)+];
                all.iter().filter_map(|(name, least)| Some((*name, (*least)?))).collect()
            }
        }
    };
    (@help $doc:literal, -, -) => { $doc };
    (@help $doc:literal, -, $least:literal) => { concat!($doc, " [at least ", $least, "]") };
    (@help $doc:literal, $default:literal, -) => { concat!($doc, " [default: ", $default, "]") };
    (@help $doc:literal, $default:literal, $least:literal) => { concat!($doc, " [default: ", $default, "; at least ", $least, "]") };
    (@field $type:ty, -) => { Option<$type> };
    (@field $type:ty, $default:literal) => { $type };
    (@value_of $said:expr, $type:ty, -) => { $said };
    (@value_of $said:expr, $type:ty, $default:literal) => {
        // A test reads all defaults.
        $said.unwrap_or_else(|| $default.parse::<$type>().expect("a default is a value"))
    };
    (@too_small $value:expr, $type:ty, -) => { None };
    (@too_small $value:expr, $type:ty, $least:literal) => {
        // The same test reads all least values.
        ($value < $least.parse::<$type>().expect("a least value is a value")).then_some($least)
    };
    (@show $value:expr, -) => { $value.as_ref().map_or_else(String::new, |value| format!("{value:?}").trim_matches('"').to_owned()) };
    (@show $value:expr, $default:literal) => { $value.to_string() };
}

settings! {
    "Listening" {
        listen: SocketAddr = "127.0.0.1:7687", -, "STRATIGRAPH_LISTEN", "Where gRPC is served";
        metrics_listen: SocketAddr = -, -, "STRATIGRAPH_METRICS_LISTEN", "Where /metrics, /healthz and /readyz are served over plain HTTP; nowhere if it is not said";
        insecure_metrics_listen: bool = "false", -, "STRATIGRAPH_INSECURE_METRICS_LISTEN", "Serve metrics and probes on an address that others reach, although they have neither TLS nor tokens";
        insecure_listen_without_tls_and_auth: bool = "false", -, "STRATIGRAPH_INSECURE_LISTEN_WITHOUT_TLS_AND_AUTH", "Serve an address that others reach although everybody could read along and nobody is asked for a token; metrics as well";
        shutdown_limit: Period = "20s", -, "STRATIGRAPH_SHUTDOWN_LIMIT", "How long running work may go on when the server is told to end; what is left then is cancelled";
        reflection: bool = "true", -, "STRATIGRAPH_REFLECTION", "Whether tools such as grpcurl may ask what can be called; needs a token where others do";
    }
    "Databases" {
        default_database: String = "default", -, "STRATIGRAPH_DEFAULT_DATABASE", "The database of requests that name none";
        backup_dir: PathBuf = -, -, "STRATIGRAPH_BACKUP_DIR", "Where backups lie, a folder for each database; backups are refused if it is not said";
        backup_keep: NonZeroU32 = -, -, "STRATIGRAPH_BACKUP_KEEP", "How many backups of each database are kept, the newest; older ones are removed when one is taken. All if it is not said";
        max_databases: u32 = "16", "1", "STRATIGRAPH_MAX_DATABASES", "How many databases there may be";
        cache_size: Size = "256MiB", "64KiB", "STRATIGRAPH_CACHE_SIZE", "The cache of stored blocks of each database";
        write_buffer_size: Size = "64MiB", "64KiB", "STRATIGRAPH_WRITE_BUFFER_SIZE", "What is written to each database and not in its sorted files yet; also bounds the log that a start reads again";
        text_cache_size: Size = "256MiB", -, "STRATIGRAPH_TEXT_CACHE_SIZE", "The cache of decoded text indexes of each database";
        projection_cache_size: Size = "512MiB", -, "STRATIGRAPH_PROJECTION_CACHE_SIZE", "The cache of what algorithms and counting queries keep of the graph of each database; 0MiB keeps nothing";
        vector_index_size: Size = "8GiB", "4MiB", "STRATIGRAPH_VECTOR_INDEX_SIZE", "The most memory of each vector index; a commit that would take more is refused";
    }
    "Security" {
        tokens: PathBuf = -, -, "STRATIGRAPH_TOKENS", "The file with the hashes of tokens, as `stratigraph token new` makes it; everybody may do everything if it is not said";
        tls_certificate: PathBuf = -, -, "STRATIGRAPH_TLS_CERTIFICATE", "The server's certificate and those between it and its authority, as PEM; read again when it changes";
        tls_key: PathBuf = -, -, "STRATIGRAPH_TLS_KEY", "The key of the certificate, as PEM; read again when it changes";
        tls_client_ca: PathBuf = -, -, "STRATIGRAPH_TLS_CLIENT_CA", "The authorities of clients' certificates, as PEM; clients need one then";
        reload_interval: Period = "5s", "10ms", "STRATIGRAPH_RELOAD_INTERVAL", "How often certificates and tokens are looked at for changes";
    }
    "Documents and models" {
        embedder: String = -, -, "STRATIGRAPH_EMBEDDER", "Whose vectors documents get: lexical, minilm, a folder, a wheel, a name in the hub's cache, or all of an address before /embeddings, with its key in STRATIGRAPH_EMBEDDER_KEY or, at the address of llm, in that one's; if it is not said the one that a database was built with, where its name is enough to open it (lexical, minilm, the hub's cache), and lexical for a new one";
        embedder_model: String = -, -, "STRATIGRAPH_EMBEDDER_MODEL", "The embedder's name at its address";
        embedder_dimensions: u32 = "0", -, "STRATIGRAPH_EMBEDDER_DIMENSIONS", "How many numbers the vectors of an embedder at an address have; it is asked at the start if it is 0, which it must then be there for";
        embedder_question_prompt: String = -, -, "STRATIGRAPH_EMBEDDER_QUESTION_PROMPT", "What is put before questions for an embedder at an address; what its family wants if it is not said, where its name tells that (e5, bge, nomic and more)";
        embedder_passage_prompt: String = -, -, "STRATIGRAPH_EMBEDDER_PASSAGE_PROMPT", "What is put before passages for it; a database keeps to the prompts that it was built with";
        llm: String = -, -, "STRATIGRAPH_LLM", "A model that reads documents, writes summaries and answers: all of its address before /chat/completions; rules read if it is not said. Its key is read from STRATIGRAPH_LLM_KEY, and from nowhere else";
        model: String = -, -, "STRATIGRAPH_MODEL", "The model's name there";
        model_calls: u32 = "4", "1", "STRATIGRAPH_MODEL_CALLS", "How many calls of the model are under way at a time";
        max_model_tokens: u64 = "0", -, "STRATIGRAPH_MAX_MODEL_TOKENS", "After so many tokens, read and written since the start, the model is asked nothing more; no limit if it is 0";
        model_prices: PerMillion = "0/0", -, "STRATIGRAPH_MODEL_PRICES", "What a million tokens of the model cost, read and written, for bills, as 0.15/0.60";
        model_timeout: Period = "2min", "10ms", "STRATIGRAPH_MODEL_TIMEOUT", "How long one attempt of a call to the address of a model may take";
        reranker: String = -, -, "STRATIGRAPH_RERANKER", "A model that orders what was found, for pipelines that `rerank`: a folder, a name in the hub's cache, or all of an address before /rerank, with its key in STRATIGRAPH_RERANKER_KEY or, at the address of llm, in that one's";
        reranker_model: String = -, -, "STRATIGRAPH_RERANKER_MODEL", "The reranker's name at its address";
        max_document_size: Size = "16MiB", "4KiB", "STRATIGRAPH_MAX_DOCUMENT_SIZE", "The largest document that comes over the network; the message that brings it has a limit of its own, max_bulk_message_size";
        max_documents: u32 = "1000000", "1", "STRATIGRAPH_MAX_DOCUMENTS", "How many documents one stream may have";
        max_tables_size: Size = "64MiB", "4KiB", "STRATIGRAPH_MAX_TABLES_SIZE", "How large a mapping and all tables of one stream may be together; they are kept until all have come, as part of max_request_memory";
        max_ingestions: u32 = "4", "1", "STRATIGRAPH_MAX_INGESTIONS", "How many streams of documents or tables, runs of summaries and calibrations may be under way; each has a thread";
        max_ingestion_idle: Period = "60s", "10ms", "STRATIGRAPH_MAX_INGESTION_IDLE", "How long a client may send no document and nothing of a table, or leave what it is told lying";
        max_ingestion_time: Period = "24h", "10ms", "STRATIGRAPH_MAX_INGESTION_TIME", "How long one stream of documents or tables, run of summaries or calibration may last";
    }
    "Limits of connections" {
        max_connections: u32 = "4096", "1", "STRATIGRAPH_MAX_CONNECTIONS", "How many connections there may be";
        max_streams_per_connection: u32 = "128", "1", "STRATIGRAPH_MAX_STREAMS_PER_CONNECTION", "How many calls one connection may have under way";
        max_header_size: Size = "16KiB", "4KiB", "STRATIGRAPH_MAX_HEADER_SIZE", "The largest metadata of a call";
        max_request_size: Size = "4MiB", "4KiB", "STRATIGRAPH_MAX_REQUEST_SIZE", "The largest message that is taken in, unpacked; bulk writes have a size of their own";
        max_bulk_message_size: Size = "16MiB", "4KiB", "STRATIGRAPH_MAX_BULK_MESSAGE_SIZE", "The largest message of a bulk write, unpacked";
        max_request_memory: Size = "512MiB", "1MiB", "STRATIGRAPH_MAX_REQUEST_MEMORY", "What the messages of all calls may take in memory until they are answered, as it is estimated before they are read; one message may take a quarter of it";
        max_response_size: Size = "64MiB", "64KiB", "STRATIGRAPH_MAX_RESPONSE_SIZE", "The largest message that is given out, before it is compressed";
        compress_responses: bool = "true", -, "STRATIGRAPH_COMPRESS_RESPONSES", "Whether answers are compressed for clients that take zstd or gzip";
        keep_alive_interval: Period = "30s", "10ms", "STRATIGRAPH_KEEP_ALIVE_INTERVAL", "How often a silent connection is asked whether it is still there";
        keep_alive_timeout: Period = "10s", "10ms", "STRATIGRAPH_KEEP_ALIVE_TIMEOUT", "How long it may take to answer that";
        handshake_limit: Period = "10s", "10ms", "STRATIGRAPH_HANDSHAKE_LIMIT", "How long a client may take to agree on TLS, and then to say its first word";
    }
    "Limits of statements" {
        max_queries: u32 = "32", "1", "STRATIGRAPH_MAX_QUERIES", "How many statements that read run at the same time, and a quarter as many that write; each has a thread";
        max_queued: u32 = "256", -, "STRATIGRAPH_MAX_QUEUED", "How many statements wait for their turn; others are refused at once";
        max_queue_wait: Period = "5s", "10ms", "STRATIGRAPH_MAX_QUEUE_WAIT", "How long a statement waits for its turn";
        max_query_time: Period = "60s", "10ms", "STRATIGRAPH_MAX_QUERY_TIME", "How long a statement or a declaration may run, whatever its client says";
        max_query_memory: Size = "64MiB", "1MiB", "STRATIGRAPH_MAX_QUERY_MEMORY", "The most rows in memory of one statement, in bytes";
        max_total_memory: Size = "1GiB", -, "STRATIGRAPH_MAX_TOTAL_MEMORY", "The most rows in memory of all statements, a quarter of it for those that write; each takes its limit when it begins";
        max_share: u32 = "50", "1", "STRATIGRAPH_MAX_SHARE", "How much of all places, memory and waiting lines for statements, transactions and bulk writes one token may take, in percent";
        max_rows: u64 = "1000000", "1", "STRATIGRAPH_MAX_ROWS", "How many rows a statement may give";
        max_steps: u64 = "1000000000", "1", "STRATIGRAPH_MAX_STEPS", "How many rows and relationships a statement may go through, its traversals included";
        max_search_results: u32 = "10000", "1", "STRATIGRAPH_MAX_SEARCH_RESULTS", "How many hits a search may ask for";
        max_batch_searches: u32 = "64", "1", "STRATIGRAPH_MAX_BATCH_SEARCHES", "How many searches one request may have";
        max_stall: Period = "10s", "10ms", "STRATIGRAPH_MAX_STALL", "How long a client may leave the rows of its statement lying";
    }
    "Limits of transactions and bulk writes" {
        max_transactions: u32 = "64", "1", "STRATIGRAPH_MAX_TRANSACTIONS", "How many transactions that read may be open; each has a thread";
        max_write_transactions: u32 = "32", "1", "STRATIGRAPH_MAX_WRITE_TRANSACTIONS", "How many transactions that write may be open, or wait for the writer before them; each has a thread";
        max_bulk_writes: u32 = "16", "1", "STRATIGRAPH_MAX_BULK_WRITES", "How many bulk writes may be under way, or wait for the writer before them, and how many exports; each has a thread";
        max_write_queue_wait: Period = "10s", "10ms", "STRATIGRAPH_MAX_WRITE_QUEUE_WAIT", "How long what writes waits for the writer before it";
        max_transaction_idle: Period = "5s", "10ms", "STRATIGRAPH_MAX_TRANSACTION_IDLE", "How long a transaction may rest; one that writes holds up all others meanwhile";
        max_transaction_time: Period = "60s", "10ms", "STRATIGRAPH_MAX_TRANSACTION_TIME", "How long a transaction may last";
        max_transaction_size: Size = "256MiB", "64KiB", "STRATIGRAPH_MAX_TRANSACTION_SIZE", "The most changes of one transaction in memory";
        max_bulk_time: Period = "1h", "10ms", "STRATIGRAPH_MAX_BULK_TIME", "How long a bulk write or an export may last";
    }
    "Logs" {
        log_format: LogFormat = "text", -, "STRATIGRAPH_LOG_FORMAT", "How logs are written: text or json";
        recall_sample_every: u64 = "0", -, "STRATIGRAPH_RECALL_SAMPLE_EVERY", "Each search of that number is made once more, exactly, for the metric vector_recall: one at a time, at most 10 seconds; none if it is 0";
        log_level: String = "info", -, "STRATIGRAPH_LOG_LEVEL", "What is logged, as RUST_LOG has it: `info`, `stratigraph_server=debug`";
        log_literals: bool = "false", -, "STRATIGRAPH_LOG_LITERALS", "Whether texts of statements keep their strings and comments in logs and lists; they may be secrets";
        slow_query_time: Period = "1s", -, "STRATIGRAPH_SLOW_QUERY_TIME", "From when on a statement is slow: it is logged and kept with its plan";
        max_slow_queries: u32 = "128", -, "STRATIGRAPH_MAX_SLOW_QUERIES", "How many slow statements are kept";
    }
}

/// How logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: a JSON object a line.
    Json,
}

impl std::str::FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(format!("`{other}` is neither `text` nor `json`")),
        }
    }
}

impl std::fmt::Display for LogFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}
