//! The models that documents are read with, as flags: of whatever opens a folder.

use crate::failure::Failure;
use crate::rag_error::RagError;
use crate::verbs::duration;
use clap::Args;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use stratigraph_models::{Configured, Generator, Prices, embedder_called};
use stratigraph_rag::door::Equipment;
use stratigraph_rag::extract::{CallCache, Calls, ReplyFile};
use stratigraph_rag::read::PdfParsing;

/// Where the key of models that judge at another address is: who has the one key need not hear the other.
const JUDGE_KEY: &str = "STRATIGRAPH_JUDGE_KEY";

/// Which models read documents.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Documents and models")]
pub(crate) struct Models {
    #[command(flatten)]
    embedder: EmbedderFlags,
    #[command(flatten)]
    writer: Writer,
    /// How many calls of the model are under way at a time; 4 if not given
    #[arg(long, value_name = "N", requires = "llm", value_parser = clap::value_parser!(u16).range(1..))]
    calls: Option<u16>,
    /// A model that orders what was found, for pipelines that `rerank`: a folder, a name in the hub's cache, or all of an address before /rerank
    #[arg(long, value_name = "NAME|URL")]
    reranker: Option<String>,
    /// The reranker's name at its address
    #[arg(long, value_name = "NAME", requires = "reranker")]
    reranker_model: Option<String>,
}

/// Whose vectors documents have. Whatever opens what documents have become needs it, also where no other model is asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Documents and models")]
pub(crate) struct EmbedderFlags {
    /// Whose vectors documents get: lexical, minilm, a folder, a wheel, a name in the hub's cache, or all of an address before /embeddings; if not given the one that the database was built with, where its name is enough to open it (lexical, minilm, the hub's cache), and lexical for a new one
    #[arg(long, value_name = "NAME|URL")]
    embedder: Option<String>,
    /// The embedder's name at its address
    #[arg(long, value_name = "NAME", requires = "embedder")]
    embedder_model: Option<String>,
    /// How many numbers its vectors have; it is asked once if not given
    #[arg(long, value_name = "N", requires = "embedder_model", value_parser = clap::value_parser!(u16).range(1..))]
    embedder_dimensions: Option<u16>,
    /// What is put before questions for it: 'query: '; if not given what its family wants, where its name tells that (e5, bge, nomic, ...)
    #[arg(long, value_name = "TEXT", requires = "embedder_model")]
    embedder_question_prompt: Option<String>,
    /// What is put before passages for it: 'passage: '; a database keeps to the prompts that it was built with
    #[arg(long, value_name = "TEXT", requires = "embedder_model")]
    embedder_passage_prompt: Option<String>,
}

/// Which model reads and writes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Writer {
    /// A model that reads and writes: all of its address before /chat/completions
    #[arg(long, value_name = "URL", requires = "model")]
    llm: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", requires = "llm")]
    model: Option<String>,
    /// Ask the model nothing more after so many tokens, read and written
    #[arg(long, value_name = "N", requires = "llm")]
    max_model_tokens: Option<u64>,
    /// What a million tokens of the model cost, read and written, for the bill: 0.15/0.60
    #[arg(long, value_name = "READ/WRITTEN", requires = "llm")]
    model_prices: Option<Prices>,
    /// How long one attempt of a call to an address may take: 30s, 5min; 2min if not given
    #[arg(long, value_name = "TIME", value_parser = duration)]
    model_timeout: Option<Duration>,
}

/// A model, and where it is: another may have its name elsewhere.
pub(crate) struct Addressed {
    pub(crate) model: Arc<dyn Generator>,
    address: String,
}

impl Addressed {
    /// Its calls, of which none is made whose reply is kept.
    pub(crate) fn calls(&self, replies: &Arc<ReplyFile>) -> Calls {
        Calls::new(Arc::clone(&self.model), self.kept(replies))
    }

    /// Its replies that are kept.
    pub(crate) fn kept(&self, replies: &Arc<ReplyFile>) -> Arc<dyn CallCache> {
        replies.at(&self.address)
    }
}

impl Writer {
    /// The model, asked one thing at a time, if one is named. Nobody is asked yet.
    ///
    /// # Errors
    /// An address that is none.
    pub(crate) fn model(&self) -> Result<Option<Addressed>, Failure> {
        let configured = Configured {
            calls: 1,
            ..self.configured()
        };
        let model = configured.chat(&key).map_err(RagError::from)?;
        Ok(model.map(|model| Addressed {
            model: Arc::new(model),
            address: self.llm.clone().unwrap_or_default(),
        }))
    }

    /// What its tokens cost, if that was said.
    pub(crate) fn prices(&self) -> Option<Prices> {
        self.model_prices
    }

    fn configured(&self) -> Configured {
        Configured {
            llm: self.llm.clone(),
            model: self.model.clone(),
            most_tokens: self.max_model_tokens,
            prices: self.model_prices,
            timeout: self.model_timeout,
            ..Configured::default()
        }
    }
}

impl EmbedderFlags {
    /// The embedder, asked how wide its vectors are if it is behind an address, and no other model.
    ///
    /// # Errors
    /// One that is not on this machine, or an address that is none.
    pub(crate) fn equipment(&self) -> Result<Equipment, Failure> {
        self.equipped(&self.beside(Configured::default()))
    }

    fn equipped(&self, configured: &Configured) -> Result<Equipment, Failure> {
        let embedder = configured.embedder(&key).map_err(RagError::from)?;
        let equipment = reader().embedder(embedder);
        Ok(match self.embedder {
            Some(_) => equipment,
            None => equipment.embedder_by_name(embedder_called),
        })
    }

    /// What was said, beside what was said of other models.
    fn beside(&self, others: Configured) -> Configured {
        Configured {
            embedder: self.embedder.clone(),
            embedder_model: self.embedder_model.clone(),
            embedder_dimensions: self.embedder_dimensions.map(usize::from),
            embedder_question_prompt: self.embedder_question_prompt.clone(),
            embedder_passage_prompt: self.embedder_passage_prompt.clone(),
            ..others
        }
    }

    /// The flag that was said, if one was: at an address the embedder is the server's.
    pub(crate) fn said(&self) -> Option<&'static str> {
        self.embedder.is_some().then_some("--embedder")
    }
}

impl Models {
    /// The models. Files are read, and an embedder behind an address is asked how wide its vectors are; nobody else is
    /// asked yet.
    ///
    /// # Errors
    /// A model that is not on this machine, or an address that is none.
    pub(crate) fn equipment(&self) -> Result<Equipment, Failure> {
        self.equipped(&self.configured())
    }

    /// The same without asking anybody: an embedder behind an address is here, and how wide its vectors are is not known. For
    /// whoever looks at what models can do and makes no vectors.
    ///
    /// # Errors
    /// As [`equipment`](Self::equipment).
    pub(crate) fn unasked_equipment(&self) -> Result<Equipment, Failure> {
        let mut configured = self.configured();
        if self.has_embedder_away() {
            configured.embedder_dimensions = configured.embedder_dimensions.or(Some(1));
        }
        self.equipped(&configured)
    }

    fn equipped(&self, configured: &Configured) -> Result<Equipment, Failure> {
        let mut equipment = self.embedder.equipped(configured)?;
        if let Some(model) = configured.chat(&key).map_err(RagError::from)? {
            equipment = equipment.model(Arc::new(model), self.calls());
        }
        if let Some(reranker) = configured.reranker(&key).map_err(RagError::from)? {
            equipment = equipment.reranker(reranker);
        }
        Ok(equipment)
    }

    fn configured(&self) -> Configured {
        self.embedder.beside(Configured {
            calls: self.calls(),
            reranker: self.reranker.clone(),
            reranker_model: self.reranker_model.clone(),
            ..self.writer.configured()
        })
    }

    /// What the tokens of the model cost, if that was said.
    pub(crate) fn prices(&self) -> Option<Prices> {
        self.writer.prices()
    }

    /// How many calls of a model are under way at a time.
    pub(crate) fn calls(&self) -> usize {
        usize::from(self.calls.unwrap_or(4))
    }

    /// The models that judge, each `MODEL@URL`; the one that reads if none is named. Nobody is asked yet.
    ///
    /// # Errors
    /// An address that is none; two of one name.
    pub(crate) fn judges(&self, named: &[String]) -> Result<Vec<Addressed>, Failure> {
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
        if let (true, Some(url), Some(name)) =
            (named.is_empty(), &self.writer.llm, &self.writer.model)
        {
            wanted.push((name, url));
        }
        let configured = self.configured();
        let mut seen = BTreeSet::new();
        let mut judges = Vec::with_capacity(wanted.len());
        for (name, url) in wanted {
            let model = configured.chat_at(url, name, JUDGE_KEY, &key);
            let model = model.map_err(RagError::from)?;
            if !seen.insert(model.name().to_owned()) {
                let twice = format!("two judges are called {name}: judges are told apart by name");
                return Err(Failure::Usage(twice));
            }
            judges.push(Addressed {
                model: Arc::new(model),
                address: url.to_owned(),
            });
        }
        Ok(judges)
    }

    /// Who takes part in an answer, as far as that is said here, as JSON: what is the same of two answers if these wrote both.
    pub(crate) fn writers(&self) -> String {
        let (writer, reranker) = (&self.writer, &self.reranker);
        let address = writer.llm.as_deref().map(|url| url.trim_end_matches('/'));
        let all = (address, &writer.model, reranker, &self.reranker_model);
        // Texts: there is nothing in it that JSON has not.
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// Whether it was said whose vectors documents get.
    pub(crate) fn names_embedder(&self) -> bool {
        self.embedder.said().is_some()
    }

    /// Whether the one that was named is behind an address.
    pub(crate) fn has_embedder_away(&self) -> bool {
        self.embedder.embedder_model.is_some()
    }

    /// Whether there is a model that reads.
    pub(crate) fn has_model(&self) -> bool {
        self.writer.llm.is_some()
    }

    /// The first flag that was said, if one was: at an address the models are the server's.
    pub(crate) fn said(&self) -> Option<&'static str> {
        let others = [
            ("--llm", self.writer.llm.is_some()),
            ("--model-timeout", self.writer.model_timeout.is_some()),
            ("--reranker", self.reranker.is_some()),
        ];
        let mut others = others.into_iter().filter(|(_, said)| *said);
        let embedder = self.embedder.said();
        embedder.or_else(|| others.next().map(|(flag, _)| flag))
    }
}

/// Keys are in the environment: never an argument, which everybody sees who lists processes.
pub(crate) fn key(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

/// Nothing but who parses PDF, for whoever only reads files.
pub(crate) fn reader() -> Equipment {
    match pdf() {
        Some(parsing) => Equipment::default().pdf(parsing),
        None => Equipment::default(),
    }
}

/// PDF is parsed in a child: this program.
pub(crate) fn pdf() -> Option<PdfParsing> {
    let program = std::env::current_exe().ok()?;
    Some(PdfParsing::in_child(program, [crate::READ_PDF.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        models: Models,
    }

    fn models(flags: &[&str]) -> Models {
        Flags::parse_from([&["it"][..], flags].concat()).models
    }

    /// Answers are kept under a hash of it: in each version it has to be the same.
    #[test]
    fn writers_are_told_as_json() {
        let nobody = models(&[]).writers();
        assert_eq!(nobody, "[null,null,null,null]");
        let writer = models(&["--llm", "http://here/v1/", "--model", "a \"small\" one"]);
        let told = r#"["http://here/v1","a \"small\" one",null,null]"#;
        assert_eq!(writer.writers(), told);
    }

    #[test]
    fn an_embedder_that_nobody_asks_needs_no_width() {
        let unasked = |flags: &[&str]| models(flags).unasked_equipment();
        // Nobody listens there.
        let away = ["--embedder", "http://127.0.0.1:9/v1"];
        let named = [&away[..], &["--embedder-model", "tiny"]].concat();
        let equipment = unasked(&named).unwrap();
        assert_eq!(equipment.its_embedder().name(), "tiny");
        // What is refused without asking is refused here, too.
        assert!(unasked(&away).is_err());
        assert!(unasked(&["--embedder", "no/such-model"]).is_err());
    }
}
