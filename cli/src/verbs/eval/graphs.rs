//! The graphs that a set is measured on, each built once and kept.

use crate::failure::Failure;
use crate::models::Models;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::verbs::questions::open_read_only;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Analysis, Database};
use stratigraph_rag::door::{Equipment, Fitting, Library, Open, Resummarise, Wanted, causes};
use stratigraph_rag::evaluate::LabelledSet;
use stratigraph_rag::extract::{Extractor, Given, Language};
use stratigraph_rag::ingest::{Ended, Report, System};
use stratigraph_rag::read::TableMapping;
use stratigraph_rag::retrieve::{Operator, Pipeline, Stage};

/// Which layers a graph has, and who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layers {
    /// Short pieces of documents and what they name, and no facts but those that the set has: what most pipelines take, and quick
    /// to build, as facts by rules are many and each has a vector.
    Strata,
    /// With facts by rules, or by a model.
    Hybrid,
    Bag,
    Tag,
    Triples,
    /// What several of these have together.
    Layered,
    /// Rows of tables as typed nodes.
    Tables,
}

impl Layers {
    /// What a pipeline takes of a set; in words if there is no such graph.
    fn of(pipeline: &Pipeline, set: &LabelledSet) -> Result<Self, &'static str> {
        let needs = pipeline.needs();
        let is_route = |stage: &&Stage| matches!(stage.run, Operator::Route(_));
        let mut routes = pipeline.stages.iter().filter(is_route);
        if !set.entities.is_empty() {
            return match routes.next() {
                Some(_) => Ok(Self::Tables),
                None => {
                    Err("it takes documents, and the set has rows of tables, which `route` finds")
                }
            };
        }
        if routes.any(|stage| !stage.if_there) {
            return Err("it asks declared queries, and the set has no tables");
        }
        if !set.facts.is_empty() {
            return match needs.instances || needs.domains {
                true => Err("it takes headings or domains, and the set has facts and no documents"),
                false => Ok(Self::Triples),
            };
        }
        Ok(match needs.system() {
            System::Bag => Self::Bag,
            System::Tag => Self::Tag,
            System::Triples => Self::Triples,
            System::Layered => Self::Layered,
            _ if needs.facts => Self::Hybrid,
            _ => Self::Strata,
        })
    }

    fn system(self) -> System {
        match self {
            Self::Strata => System::Strata,
            Self::Hybrid => System::Hybrid,
            Self::Bag => System::Bag,
            Self::Tag => System::Tag,
            Self::Triples => System::Triples,
            Self::Layered => System::Layered,
            Self::Tables => System::Structure,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            layers => layers.system().name(),
        }
    }
}

/// The graphs of a set.
pub(super) struct Graphs<'a> {
    set: &'a LabelledSet,
    equipment: Equipment,
    work: &'a Path,
    graph: Option<&'a Path>,
    open: BTreeMap<Layers, Rc<Open>>,
    notes: Vec<String>,
}

impl<'a> Graphs<'a> {
    /// None of them yet; those that are built are kept in a folder, or there is one that somebody has built.
    ///
    /// # Errors
    /// The models are not there.
    pub(super) fn new(
        set: &'a LabelledSet,
        models: &Models,
        (work, graph): (&'a Path, Option<&'a Path>),
    ) -> Result<Self, Failure> {
        let mut equipment = models.equipment()?;
        let mut notes = Vec::new();
        if graph.is_none() {
            let texts: Vec<&str> = set.texts().collect();
            let wanted = Arc::clone(equipment.its_embedder());
            let fitting = Fitting::of(wanted, &texts).map_err(RagError::from)?;
            notes.extend(fitting.note);
            equipment = equipment.embedder(fitting.embedder);
        }
        Ok(Self {
            set,
            equipment,
            work,
            graph,
            open: BTreeMap::new(),
            notes,
        })
    }

    /// What is to be told since it was asked last.
    pub(super) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// The graph that a pipeline takes; none if there can be none, and then the notes say why.
    ///
    /// # Errors
    /// What the database says; a document that cannot be read.
    pub(super) fn open(
        &mut self,
        pipeline: &Pipeline,
        progress: &Progress,
    ) -> Result<Option<Rc<Open>>, Failure> {
        let layers = match self.graph {
            // There is one, whatever it has.
            Some(_) => Layers::Strata,
            None => match Layers::of(pipeline, self.set) {
                Ok(layers) => layers,
                Err(why) => {
                    self.notes
                        .push(format!("{} is not measured: {why}", pipeline.name));
                    return Ok(None);
                }
            },
        };
        if let Some(open) = self.open.get(&layers) {
            return Ok(Some(Rc::clone(open)));
        }
        let open = Rc::new(match self.graph {
            Some(graph) => open_read_only(graph, self.equipment.clone())?,
            None => self.built(layers, progress)?,
        });
        match self.open.entry(layers) {
            Entry::Vacant(free) => Ok(Some(Rc::clone(free.insert(open)))),
            Entry::Occupied(known) => Ok(Some(Rc::clone(known.get()))),
        }
    }

    /// The graph of the set with these layers.
    fn built(&mut self, layers: Layers, progress: &Progress) -> Result<Open, Failure> {
        let path = self.path(layers);
        let wanted = Wanted {
            filters: self.set.filters().into_iter().map(str::to_owned).collect(),
            analysis: Some(analysis(self.set)),
            ..Wanted::new(layers.system())
        };
        let db = Database::builder().create_if_missing(true).open(&path)?;
        let open = Library::new(&db, self.equipment.clone())
            .create(&wanted)
            .map_err(RagError::from)?;
        let extractor = self.extractor(&open);
        let version = match &extractor {
            Some(extractor) => extractor.version(),
            None => "model",
        };
        let whole = format!(
            "{} {version} {}\n",
            self.set.fingerprint(),
            env!("CARGO_PKG_VERSION")
        );
        // Said only when everything was in it.
        let said = PathBuf::from(format!("{}.built", path.display()));
        if fs::read_to_string(&said).is_ok_and(|known| known == whole) {
            return Ok(open);
        }
        let token = progress.interrupt().token();
        let bar = progress.bar(self.set.corpus.len() as u64);
        let mut ingestion = open.ingestion(&token);
        if let Some(extractor) = extractor {
            ingestion = ingestion.extractor(extractor);
        }
        let told = |progress: stratigraph_rag::ingest::Progress| {
            bar.at(progress.documents as u64);
        };
        let lists = self.set.fact_lists();
        let ids: Vec<String> = lists.iter().map(|list| list.id.clone()).collect();
        let mut report = match lists.is_empty() {
            true => ingestion.run(self.set.documents(), &told),
            false => ingestion.run_lists(lists.into_iter().map(Ok), &told),
        };
        drop(bar);
        self.check(&mut report)?;
        self.prune(&open, &ids)?;
        self.write_tables(&open, &path)?;
        if layers.system().has_domains() {
            summarise(&open, self.equipment.has_model(), &token)?;
        }
        fs::write(&said, whole).map_err(Failure::of_request)?;
        Ok(open)
    }

    /// Takes the rows of tables in, if the set has any.
    fn write_tables(&mut self, open: &Open, path: &Path) -> Result<(), Failure> {
        let Some([rows, mapping]) = self.set.tables() else {
            return Ok(());
        };
        let folder = PathBuf::from(format!("{}.tables", path.display()));
        fs::create_dir_all(&folder).map_err(Failure::of_request)?;
        for (name, text) in [&rows, &mapping] {
            fs::write(folder.join(name), text).map_err(Failure::of_request)?;
        }
        let read = TableMapping::read(&folder.join(mapping.0)).map_err(RagError::from)?;
        let report = open.layers().upsert_tables(mapping.0, &read);
        let report = report.map_err(|error| Failure::from(RagError::Tables(error)))?;
        if report.count_broken > 0 {
            let count = report.count_broken;
            let first = report.broken.first().map(ToString::to_string);
            self.notes.push(format!(
                "{count} of its rows cannot be read, or state a key in another way than before, and are not in its graph; the first: {}",
                first.unwrap_or_default()
            ));
        }
        Ok(())
    }

    /// Where it is kept: whoever reads, and whose vectors it has, are part of what it is.
    fn path(&self, layers: Layers) -> PathBuf {
        let reader = if self.equipment.has_model() {
            "-model"
        } else {
            ""
        };
        let embedder = self
            .equipment
            .its_embedder()
            .name()
            .replace(['/', '\\'], "_");
        let set = &self.set.name;
        self.work
            .join(format!("{set}-{}{reader}-{embedder}", layers.name()))
    }

    /// Who reads the documents, if it is not the model.
    fn extractor(&self, open: &Open) -> Option<Box<dyn Extractor>> {
        let said = self.set.said();
        if said.is_empty() && self.equipment.has_model() {
            return None;
        }
        let rules = open.recipe().extractor(None);
        Some(match said.is_empty() {
            true => rules,
            false => Box::new(Given::new(said, rules)),
        })
    }

    /// A set is measured on all of its documents or not at all.
    fn check(&mut self, report: &mut Report) -> Result<(), Failure> {
        match report.ended.take() {
            Some(Ended::Database(error)) => return Err(error.into()),
            Some(_) => return Err(stratigraph::Error::Cancelled.into()),
            None => {}
        }
        if let Some(failed) = report.problems.failed.first() {
            return Err(Failure::of_request(causes(&*failed.error)));
        }
        if let Some(broken) = report.problems.broken_lines.first() {
            let count = report.problems.count_broken_lines;
            self.notes.push(format!(
                "{count} of its facts cannot be read, and are not in its graph; the first: {broken}"
            ));
        }
        Ok(())
    }

    /// Takes out what the set had when the graph was built first, and has no more.
    fn prune(&self, open: &Open, lists: &[String]) -> Result<(), Failure> {
        let rows = self.set.corpus.iter().map(|row| &row.id);
        let rows: BTreeSet<&String> = rows.chain(lists).collect();
        let layers = open.layers();
        for id in layers.documents().map_err(RagError::from)? {
            if !rows.contains(&id) {
                layers.delete(&id).map_err(RagError::from)?;
            }
        }
        Ok(())
    }
}

/// Domains are found by their summaries.
fn summarise(open: &Open, by_model: bool, token: &CancelToken) -> Result<(), Failure> {
    let wanted = Resummarise {
        most: usize::MAX,
        domains: true,
        central: Some(!by_model),
        ..Resummarise::default()
    };
    let made = open.resummarise(&wanted, token, &|_| ());
    let made = made.map_err(RagError::from)?;
    if let Some(error) = made.ended {
        return Err(RagError::from(error).into());
    }
    if made.stopped {
        return Err(stratigraph::Error::Cancelled.into());
    }
    match made.failed.first() {
        Some(failed) => Err(Failure::of_request(causes(&failed.error))),
        None => Ok(()),
    }
}

/// How the words of a set become terms.
fn analysis(set: &LabelledSet) -> Analysis {
    match Language::of_all(&set.texts().collect::<Vec<_>>()) {
        Language::Chinese => Analysis::Chinese,
        Language::Italian => Analysis::Italian,
        _ => Analysis::English,
    }
}
