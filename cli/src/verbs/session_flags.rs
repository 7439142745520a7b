//! What `query` and `repl` take alike: which database, which parameters, which form, which limits.

use crate::failure::Failure;
use crate::models::Models;
use crate::remote::{Access, Address, Manner, Server};
use crate::statements::{
    Folder, Format, IDLE, Layout, Limits, Place, Session, TOTAL, add_json, named_value, read_input,
};
use clap::Args;
use rustix::termios::tcgetwinsize;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Error};
use stratigraph_rag::door::Library;

/// What `query` and `repl` take alike.
#[derive(Debug, Args)]
pub(super) struct SessionFlags {
    /// The database's folder, or an address: grpc://host:port, grpcs://host:port with TLS
    #[arg(value_name = "DIR|ADDRESS")]
    pub(super) dir: PathBuf,
    /// Open read-only: several may do so at the same time. At an address, refuse what changes something
    #[arg(long, conflicts_with = "create")]
    read_only: bool,
    /// Make the database if there is none
    #[arg(long)]
    create: bool,
    /// A parameter: a literal of the language, or else the text as it is; may be given again
    #[arg(long, short, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// A file with a JSON object, a key for each parameter
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// The form of rows; if not given, table on a terminal and json elsewhere
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// How long a statement may run: 500ms, 10s, 2m
    #[arg(long, value_parser = duration)]
    timeout: Option<Duration>,
    /// How many rows a statement may give; one that gives more fails
    #[arg(long, value_name = "ROWS")]
    max_rows: Option<u64>,
    /// Which models documents are read with.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl SessionFlags {
    /// Opens the database and takes in the parameters.
    ///
    /// # Errors
    /// What keeps it from being opened; parameters that cannot be understood.
    pub(super) fn open(&self, cancel: &CancelToken) -> Result<Session, Failure> {
        let mut session = Session::new(self.place(cancel)?);
        if let Some(file) = &self.params {
            add_json(&mut session.parameters, &read_input(Some(file))?)?;
        }
        for text in &self.param {
            let (name, value) = named_value(&mut session, text, cancel)?;
            session.parameters.insert(name, value);
        }
        session.limits = Limits {
            time: self.timeout,
            rows: self.max_rows,
        };
        Ok(session)
    }

    /// The folder, or the server at the address.
    fn place(&self, cancel: &CancelToken) -> Result<Box<dyn Place>, Failure> {
        let address = Address::in_place_of(&self.dir, &self.access, self.models.said())?;
        if let Some(address) = address {
            let manner = Manner {
                read_only: self.read_only,
                create: self.create,
            };
            let server = Server::open(&address, &self.access, manner, cancel)?;
            return Ok(Box::new(server));
        }
        let builder = Database::builder()
            .create_if_missing(self.create)
            .transaction_idle_limit(IDLE)
            .transaction_time_limit(TOTAL);
        let opened = if self.read_only {
            builder.open_read_only(&self.dir)
        } else {
            builder.open(&self.dir)
        };
        let database = opened.map_err(|error| match error {
            Error::NotFound { path } => Failure::NoDatabase {
                path,
                hint: "is the path right? --create makes one",
            },
            other => other.into(),
        })?;
        Library::new(&database, self.models.equipment()?).register()?;
        Ok(Box::new(Folder::new(database)))
    }

    /// The form of rows, where nothing else is said.
    pub(super) fn layout(&self, json: bool) -> Layout {
        let on_terminal = io::stdout().is_terminal();
        let usual = if on_terminal && !json {
            Format::Table
        } else {
            Format::Json
        };
        Layout {
            format: self.format.unwrap_or(usual),
            room: terminal_width(),
            apart: true,
            limit: None,
        }
    }
}

/// How many columns the terminal of standard output has; `None` if that is none.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// `500ms`, `10s`, `2min`; a number alone is in seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|one: char| one.is_ascii_digit() || one == '.');
    let number = &text[..text.len() - unit.len()];
    let seconds_each = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write 500ms, 10s or 2min".to_owned()),
    };
    let seconds = number.parse::<f64>().map(|number| number * seconds_each);
    let time = seconds
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "write 500ms, 10s or 2min".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let cases = [
            ("500ms", 500),
            ("10s", 10_000),
            ("1.5s", 1500),
            ("2m", 120_000),
            ("2min", 120_000),
            ("1h", 3_600_000),
            ("3", 3000),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "s", "1w", "-1s", "1.2.3s", "ten"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
