//! The models that documents are read with, as flags: of whatever opens a folder.

use crate::failure::Failure;
use crate::verbs::IngestError;
use clap::Args;
use std::collections::BTreeSet;
use std::sync::Arc;
use stratigraph_models::{Generator as _, chat_model_at, embedder_named, reranker_named};
use stratigraph_rag::door::Equipment;
use stratigraph_rag::extract::model::Judging;
use stratigraph_rag::extract::{Calls, MemoryCache};
use stratigraph_rag::read::PdfParsing;

/// Where the key of the model is: never an argument, which everybody sees who lists processes.
pub(crate) const KEY: &str = "STRATIGRAPH_LLM_KEY";
/// Where the key of models that judge at another address is: who has the one key need not hear the other.
const JUDGE_KEY: &str = "STRATIGRAPH_JUDGE_KEY";

/// Which models read documents.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Documents and models")]
pub(crate) struct Models {
    /// Whose vectors documents get: lexical, minilm, a folder, a wheel, or a name in the hub's cache; lexical if not given
    #[arg(long, value_name = "NAME")]
    embedder: Option<String>,
    /// A model that reads documents: all of its address before /chat/completions
    #[arg(long, value_name = "URL", requires = "model")]
    llm: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", requires = "llm")]
    model: Option<String>,
    /// How many calls of the model are under way at a time; 4 if not given
    #[arg(long, value_name = "N", requires = "llm", value_parser = clap::value_parser!(u16).range(1..))]
    calls: Option<u16>,
    /// A model that orders what was found, for pipelines that `rerank`: a folder, or a name in the hub's cache
    #[arg(long, value_name = "NAME")]
    reranker: Option<String>,
}

impl Models {
    /// The models. Files are read; nobody is asked yet.
    ///
    /// # Errors
    /// A model that is not on this machine, or an address that is none.
    pub(crate) fn equipment(&self) -> Result<Equipment, Failure> {
        let embedder = embedder_named(self.embedder.as_deref().unwrap_or("lexical"));
        let mut equipment = Equipment::default().embedder(embedder.map_err(IngestError::from)?);
        if let (Some(url), Some(name)) = (&self.llm, &self.model) {
            let calls = usize::from(self.calls.unwrap_or(4));
            let key = std::env::var(KEY).ok();
            let model = chat_model_at(url, name, calls, key.as_deref());
            let model = model.map_err(IngestError::from)?;
            equipment = equipment.model(Arc::new(model), calls);
        }
        if let Some(name) = &self.reranker {
            let reranker = reranker_named(name).map_err(IngestError::from)?;
            equipment = equipment.reranker(reranker);
        }
        if let Some(parsing) = pdf() {
            equipment = equipment.pdf(parsing);
        }
        Ok(equipment)
    }

    /// How many calls of a model are under way at a time.
    pub(crate) fn calls(&self) -> usize {
        usize::from(self.calls.unwrap_or(4))
    }

    /// The models that judge, each `MODEL@URL`; the one that reads if none is named. Nobody is asked yet.
    ///
    /// # Errors
    /// An address that is none; two of one name.
    pub(crate) fn judges(&self, named: &[String]) -> Result<Vec<Judging>, Failure> {
        let mut wanted: Vec<(&str, &str)> = Vec::new();
        for text in named {
            // A name may have the sign too, and an address has it only within.
            let at = text.find("@http://").or_else(|| text.find("@https://"));
            let Some(at) = at.filter(|at| *at > 0) else {
                return Err(Failure::Usage(format!(
                    "--judge is MODEL@URL, as gemma3@http://localhost:11434/v1, and not `{text}`"
                )));
            };
            wanted.push((&text[..at], &text[at + 1..]));
        }
        if let (true, Some(url), Some(name)) = (named.is_empty(), &self.llm, &self.model) {
            wanted.push((name, url));
        }
        let mut seen = BTreeSet::new();
        let mut judges = Vec::with_capacity(wanted.len());
        for (name, url) in wanted {
            let key = match self.llm.as_deref() == Some(url) {
                true => KEY,
                false => JUDGE_KEY,
            };
            let key = std::env::var(key).ok();
            let model = chat_model_at(url, name, self.calls(), key.as_deref());
            let model = model.map_err(IngestError::from)?;
            if !seen.insert(model.name().to_owned()) {
                let twice = format!("two judges are called {name}: judges are told apart by name");
                return Err(Failure::Usage(twice));
            }
            let cache = Arc::new(MemoryCache::default());
            judges.push(Judging::new(Calls::new(Arc::new(model), cache)));
        }
        Ok(judges)
    }

    /// Whether there is a model that reads.
    pub(crate) fn has_model(&self) -> bool {
        self.llm.is_some()
    }

    /// At an address the models are the server's.
    ///
    /// # Errors
    /// One was named.
    pub(crate) fn refuse_for_address(&self, address: &str) -> Result<(), Failure> {
        let said = [
            ("--embedder", self.embedder.is_some()),
            ("--llm", self.llm.is_some()),
            ("--reranker", self.reranker.is_some()),
        ];
        match said.iter().find(|(_, said)| *said) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "{flag} is for a folder: at {address} the models are those that the server was started with (`stratigraph serve {flag} ...`)"
            ))),
            None => Ok(()),
        }
    }
}

/// PDF is parsed in a child: this program.
pub(crate) fn pdf() -> Option<PdfParsing> {
    let program = std::env::current_exe().ok()?;
    Some(PdfParsing::in_child(program, [crate::READ_PDF.into()]))
}
