//! Why a model could not be loaded or used.
//!
//! What a caller can mend (a file, a setting, a shape) is named; what the libraries underneath say is
//! passed on as a source, without their types.

use crate::generate::Usage;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// What a library underneath says.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a model could not be loaded or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file of the model cannot be read.
    #[error("cannot read {path}, a file of the model")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A file of the model is larger than any model of its kind.
    #[error("{path} is {bytes} bytes long, more than the {limit} that are read")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
        /// The most that is read.
        limit: u64,
    },
    /// A file of the model is not what its name says.
    #[error("{path} is damaged or of another format")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Cause,
    },
    /// A file has other bytes than the ones it was said to have.
    #[error(
        "{path} is not the file it should be: its SHA-256 is {found}, not {expected}; fetch it again"
    )]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// The hash it should have.
        expected: String,
        /// The hash it has.
        found: String,
    },
    /// A model of the hub was not fetched to this machine, or not at this revision.
    #[error(
        "the model {model} is not in {looked}; fetch it with the hub's tools (`hf download {model}`), or give a folder"
    )]
    NotInHub {
        /// Its name.
        model: String,
        /// Where it was looked for.
        looked: PathBuf,
    },
    /// The model that comes with the sources was not fetched.
    #[error(
        "MiniLM is not on this machine: fetch it with `cargo xtask setup --models`, or use the embedder lexical"
    )]
    NotFetched,
    /// A setting asks for something that this model does not do.
    #[error("{path}: {setting} is {found}, but only {supported} is supported")]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The setting in it.
        setting: &'static str,
        /// Its value.
        found: String,
        /// The values that would do.
        supported: String,
    },
    /// The tensors lack one that the settings call for.
    #[error("the tensor {name} is missing")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor has another shape than the settings call for.
    #[error("the tensor {name} has the shape {found:?}, but the settings call for {expected:?}")]
    WrongShape {
        /// Its name.
        name: String,
        /// The shape the settings call for.
        expected: Vec<usize>,
        /// The shape it has.
        found: Vec<usize>,
    },
    /// A tensor does not hold floats.
    #[error("the tensor {name} holds {found}, not F32, F16 or BF16")]
    WrongKind {
        /// Its name.
        name: String,
        /// What it holds.
        found: String,
    },
    /// The threads that compute could not be started.
    #[error("cannot start a thread to compute on")]
    NoThread(#[source] Cause),
    /// A text could not be cut into tokens.
    #[error("text {place} cannot be cut into tokens")]
    Tokens {
        /// The place of the text among those handed in.
        place: usize,
        /// Why.
        #[source]
        source: Cause,
    },
    /// The computation itself failed.
    #[error("the model could not compute")]
    Compute(#[source] Cause),
    /// A row came out with a number that is none. The weights are damaged.
    #[error(
        "the vector of text {place} holds numbers that are not finite; the weights are damaged"
    )]
    NotFinite {
        /// The place of the text among those handed in.
        place: usize,
    },
    /// A row came out with nothing but zeros, so that it is near nothing and far from nothing.
    #[error("the vector of text {place} has no direction: all its numbers are zero")]
    NoDirection {
        /// The place of the text among those handed in.
        place: usize,
    },
    /// There are not as many rows as texts, or they are not as wide as the embedder says.
    #[error(
        "the embedder gave {found_rows} rows of {found_dimensions} numbers for {texts} texts, not rows of {dimensions}"
    )]
    WrongRows {
        /// How many texts there were.
        texts: usize,
        /// How wide rows should be.
        dimensions: usize,
        /// How many rows came.
        found_rows: usize,
        /// How wide they are.
        found_dimensions: usize,
    },
    /// A text has none of the vectors that were given.
    #[error("no vector was given for text {place}")]
    NotGiven {
        /// The place of the text among those handed in.
        place: usize,
    },
    /// Where vectors are kept they cannot be read or written.
    #[error("the store of vectors failed")]
    Store(#[source] Cause),
    /// Bytes that are said to be what a lexical embedder learned are not.
    #[error("these bytes are not what a lexical embedder has learned, or are damaged")]
    BadTraining,
    /// A model that writes did not write what it was asked for, however often it was asked.
    #[error("after {tries} tries the model's reply is still not what was asked for: {problem}")]
    BadReply {
        /// How often it was asked.
        tries: usize,
        /// What is wrong with the last reply.
        problem: String,
    },
    /// A reply ran into the most tokens that it may have.
    #[error(
        "the reply of {model} ran into max_tokens before it was whole; raise it, or ask for less"
    )]
    Cut {
        /// The model that wrote it.
        model: String,
        /// What there is of it.
        text: String,
        /// What it cost: that it is not whole makes it no cheaper.
        usage: Usage,
    },
    /// An address is none of a model.
    #[error("the address of the model cannot be used: {problem}")]
    BadAddress {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An address has many models, and none was named.
    #[error(
        "the {what} is an address, and which model is meant there was not said: name it (`{what}_model` in settings, `--{what}-model` on the command line)"
    )]
    NoModelName {
        /// What the model is for.
        what: &'static str,
    },
    /// Something was said of a model at an address, and there is no address.
    #[error(
        "something is said of the {what} that is for one at an address (`{what}_model`, `{what}_dimensions`), and the {what} is none: give its address, such as http://localhost:11434/v1"
    )]
    NoAddress {
        /// What the model is for.
        what: &'static str,
    },
    /// A model behind an address did not do what it should.
    #[error("the model at {url} {problem}")]
    Endpoint {
        /// Where it is.
        url: String,
        /// What HTTP says.
        status: Option<u16>,
        /// What it did, in its own words where it has any.
        problem: String,
        /// After what time another attempt may help, if it may at all.
        again: Option<Duration>,
    },
    /// No more may be spent.
    #[error(
        "{tokens} tokens were spent, and no more than {limit} may be; raise the limit to go on"
    )]
    BudgetSpent {
        /// What was spent.
        tokens: u64,
        /// What may be.
        limit: u64,
    },
    /// Whoever listened to a reply wanted no more of it.
    #[error("the reply was stopped before its end")]
    Stopped,
    /// There is no recorded reply to a request.
    #[error("there is no recorded reply to this request")]
    NothingRecorded,
    /// More rows than memory can hold.
    #[error("{count} rows of {dimensions} numbers do not fit into memory")]
    TooManyRows {
        /// How many rows.
        count: usize,
        /// How many numbers each.
        dimensions: usize,
    },
}

impl ModelError {
    /// The same of a text at another place, for whoever hands on some of the texts.
    pub(crate) fn at(mut self, new: impl Fn(usize) -> usize) -> Self {
        if let Self::Tokens { place, .. }
        | Self::NotFinite { place }
        | Self::NoDirection { place }
        | Self::NotGiven { place } = &mut self
        {
            *place = new(*place);
        }
        self
    }
}
