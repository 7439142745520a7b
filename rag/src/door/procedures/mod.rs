//! `CALL rag.…`: the doors of queries.
//!
//! A document is a transaction of its own, because models are asked before it begins and nobody else may wait for
//! them: what changes the graph here commits itself, and the engine refuses it within a transaction. `rag.stale`
//! looks at the last commit.
//!
//! | what | where |
//! |---|---|
//! | questions, what a model reads for them, their traces and receipts | `retrieve.rs` |
//! | answers and thresholds | `ask.rs` |
//! | what both are asked, with its settings | `asked.rs` |
//! | names that mean the same | `naming.rs` |
//! | declared queries | `routes.rs` |
//! | maps of settings | `settings.rs` |

mod ask;
mod asked;
mod naming;
mod retrieve;
mod routes;
mod settings;

use stratigraph::{HostCall, HostFailure, Procedure, ProcedureType, Value};

use self::settings::Settings;
use super::library::WeakLibrary;
use super::wanted::language_name;
use super::{DoorError, Incoming, Library, Resummarise, Wanted, causes};
use crate::build::{BuildError, Built, NodeKey};
use crate::ingest::{Ended, Recipe, Report};

/// Rows of a procedure.
type Rows = Result<Vec<Vec<Value>>, HostFailure>;

/// So many broken lines of a list of facts are told.
const MOST_PROBLEMS: usize = 20;

/// All of them, on this library.
pub(super) fn all(library: &Library) -> Vec<Procedure> {
    // A database that held itself would never be closed.
    let weak = library.downgrade();
    let mut all = vec![
        create_layers(weak.clone()),
        layers(weak.clone()),
        upsert_document(weak.clone()),
        delete_document(weak.clone()),
        stale(weak.clone()),
        resummarise(weak.clone()),
        retrieve::retrieve(weak.clone()),
        retrieve::context(weak.clone()),
        retrieve::trace(weak.clone()),
        retrieve::verify(weak.clone()),
        ask::ask(weak.clone()),
        ask::calibrate(weak.clone()),
        ask::calibrations(weak.clone()),
    ];
    all.extend(naming::all(&weak));
    all.extend(routes::all(&weak));
    all
}

fn create_layers(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.createLayers")
        .about("Says once what is made of documents: structure, bag, tag, triples, hybrid, strata, or layered, which has the layers of all. Settings: filters (metadata that searches may be limited by), root (the domain that all chains begin with), language (plain, english, italian or chinese: how words become terms), chunks (how documents are cut, as structure:256*3, headings:256/3, tokens:1200/100, characters:2024/204 or sentences:5/1), sample (texts that will come: if the embedder cannot read them, the one of letters is taken). Again the same changes nothing, what is not said stays as it is, and something else is refused.")
        .takes("profile", ProcedureType::STRING.not_null())
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("profile", ProcedureType::STRING)
        .yields("embedder", ProcedureType::STRING)
        .yields("documents", ProcedureType::INTEGER)
        .yields("note", ProcedureType::STRING)
        .commits()
        .run_until_stopped(move |_, arguments| create(&library.upgrade()?, arguments))
}

fn layers(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.layers")
        .about("How documents are taken in, as it was said once; no row if nobody has said it.")
        .yields("profile", ProcedureType::STRING)
        .yields("filters", ProcedureType::LIST)
        .yields("root", ProcedureType::STRING)
        .yields("language", ProcedureType::STRING)
        .yields("chunks", ProcedureType::STRING)
        .yields("embedder", ProcedureType::STRING)
        .run_until_stopped(move |_, _| told(&library.upgrade()?))
}

fn upsert_document(library: WeakLibrary) -> Procedure {
    let procedure = Procedure::new("rag.upsertDocument")
        .about("Takes a document in, or what it is now in the place of what it was: {id, content, format, metadata}, of which format may be left out where the id ends with .md, .html, .txt or .jsonl; added says that none of this id was there, and changed that one with another text was; problems are lines of a list of facts that were left out, that the embedder cannot read it, or not to the end of its pieces, and that a model has read documents before and there is none now. Its transaction is its own.")
        .takes("document", ProcedureType::MAP.not_null());
    let counts = [
        "pieces",
        "written",
        "deleted",
        "unchanged",
        "vectors",
        "stale",
        "calls",
        "kept",
        "inputTokens",
        "outputTokens",
    ];
    let procedure = procedure
        .yields("id", ProcedureType::STRING)
        .yields("added", ProcedureType::BOOLEAN)
        .yields("changed", ProcedureType::BOOLEAN);
    let procedure = counts.into_iter().fold(procedure, |procedure, name| {
        procedure.yields(name, ProcedureType::INTEGER)
    });
    procedure
        .yields("problems", ProcedureType::LIST)
        .commits()
        .run_until_stopped(move |call, arguments| upsert(&library.upgrade()?, call, arguments))
}

fn delete_document(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.deleteDocument")
        .about("Takes a document out, with everything that nobody else says, or what the tables of a mapping stated under that id. No model is asked, and one that is not there is fine. Its transaction is its own.")
        .takes("id", ProcedureType::STRING.not_null())
        .yields("id", ProcedureType::STRING)
        .yields("deleted", ProcedureType::INTEGER)
        .yields("stale", ProcedureType::INTEGER)
        .commits()
        .run_until_stopped(move |_, arguments| {
            let id = text(arguments, 0);
            let change = library.upgrade()?.delete(id).map_err(failed)?;
            Ok(vec![vec![
                id.into(),
                count(change.deleted),
                count(change.stale.len() as u64),
            ]])
        })
}

fn stale(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.stale")
        .about("The summaries that were made from something else than what is said now, as of the last commit.")
        .yields("label", ProcedureType::STRING)
        .yields("key", ProcedureType::STRING)
        .run_until_stopped(move |_, _| {
            let stale = library.upgrade()?.stale().map_err(failed)?.into_iter();
            let row = |node: NodeKey| vec![node.label.name().into(), node.key.into()];
            Ok(stale.map(row).collect())
        })
}

fn resummarise(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.resummarise")
        .about("Writes the summaries that are stale: the model does, or, without one, they are the most central sentences; by says which model, or rules. Settings: most (1000), domains and entities (true: also those that have no summary yet, or one by rules where a model writes), central (true: the most central sentences, also in the place of what a model wrote; false: by a model or not at all). Each is a transaction of its own; problem says why one could not be written: what a model wrote stays as it is while there is none. A row with neither is of what nothing is said of any more: its summary is taken away.")
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("label", ProcedureType::STRING)
        .yields("key", ProcedureType::STRING)
        .yields("summary", ProcedureType::STRING)
        .yields("problem", ProcedureType::STRING)
        .yields("calls", ProcedureType::INTEGER)
        .yields("inputTokens", ProcedureType::INTEGER)
        .yields("outputTokens", ProcedureType::INTEGER)
        .yields("by", ProcedureType::STRING)
        .commits()
        .run_until_stopped(move |call, arguments| mend(&library.upgrade()?, call, arguments))
}

fn create(library: &Library, arguments: &[Value]) -> Rows {
    let system = text(arguments, 0).parse();
    let system = system.map_err(|error: crate::ingest::UnknownSystem| error.to_string())?;
    let settings = Settings::of(
        &arguments[1],
        &["filters", "root", "language", "chunks", "sample"],
    )?;
    let wanted = Wanted {
        filters: settings.texts("filters")?,
        root: settings.text("root")?,
        sample: settings.texts("sample")?,
        ..Wanted::new(system)
    };
    let wanted = match settings.text("language")? {
        Some(name) => wanted.language(&name).map_err(failed)?,
        None => wanted,
    };
    let wanted = match settings.text("chunks")? {
        Some(chunks) => wanted.chunked(&chunks).map_err(failed)?,
        None => wanted,
    };
    let open = library.create(&wanted).map_err(failed)?;
    let note = open.intake_note().map_err(failed)?;
    let note = note.map_or(Value::Null, Value::from);
    let embedder = open.embedder_name().into();
    let documents = open.count_documents().map_err(failed)?;
    Ok(vec![vec![
        open.recipe().system().name().into(),
        embedder,
        count(documents),
        note,
    ]])
}

fn told(library: &Library) -> Rows {
    // It is not opened: whoever lacks its embedder is to hear of it here.
    let built = Built::of(library.database()).map_err(|error| failed(error.into()))?;
    let Some(built) = built else {
        return Ok(Vec::new());
    };
    let recipe = Recipe::of(&built.profile).ok_or_else(|| failed(DoorError::NoRecipe))?;
    let profile = &built.profile;
    let filters = profile.filters().iter().map(|name| name.as_str().into());
    Ok(vec![vec![
        recipe.system().name().into(),
        Value::List(filters.collect()),
        recipe.its_root().map_or(Value::Null, Value::from),
        language_name(profile.analysis_of_texts()).into(),
        recipe.its_chunks().to_string().into(),
        built.embedder.into(),
    ]])
}

fn upsert(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let names = ["id", "content", "format", "metadata"];
    let settings = Settings::of(&arguments[0], &names)?;
    let format = settings.text("format")?;
    let format = format.as_deref().map(Incoming::format_named).transpose();
    let id = settings.needed("id")?;
    let incoming = Incoming {
        id: id.clone(),
        bytes: settings.needed("content")?.into_bytes(),
        format: format.map_err(failed)?,
        metadata: settings.metadata("metadata")?,
    };
    let open = library.open().map_err(failed)?;
    let report = open.upsert(incoming, call.stop(), &|_| ());
    let report = taken(report.map_err(failed)?)?;
    let (change, cost) = (&report.change, &report.cost);
    let counts = [
        report.pieces as u64,
        change.written,
        change.deleted,
        change.unchanged,
        change.vectors,
        change.stale.len() as u64,
        cost.calls,
        cost.kept,
        cost.usage.input_tokens,
        cost.usage.output_tokens,
    ];
    // What is left alone, and lists of facts, nobody reads.
    let note = match report.pieces {
        0 => None,
        _ => open.reader_note().map_err(failed)?,
    };
    let unread = report.unread.iter().map(|unread| causes(unread));
    let cut_off = (!change.cut_off.is_none()).then(|| change.cut_off.to_string());
    let problems = report.problems.all().map(causes);
    let problems = note.into_iter().chain(problems);
    let problems = problems.chain(unread).chain(cut_off);
    let problems: Vec<String> = problems.take(MOST_PROBLEMS).collect();
    let beside = [change.added_documents, change.changed_documents].map(|documents| documents > 0);
    let row = std::iter::once(id.into()).chain(beside.map(Value::from));
    let row = row.chain(counts.into_iter().map(count));
    Ok(vec![row.chain([problems.into()]).collect()])
}

fn mend(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let names = ["most", "domains", "entities", "central"];
    let settings = Settings::of(&arguments[0], &names)?;
    let usual = Resummarise::default();
    let wanted = Resummarise {
        most: settings.count("most")?.unwrap_or(usual.most),
        domains: settings.truth("domains")?,
        entities: settings.truth("entities")?,
        central: settings.said("central")?,
    };
    let open = library.open().map_err(failed)?;
    let done = open.resummarise(&wanted, call.stop(), &|_| ());
    let done = done.map_err(failed)?;
    if let Some(error) = done.ended {
        return Err(failed(error));
    }
    if done.stopped {
        return Err(stratigraph::Error::Cancelled.into());
    }
    let by = Value::from(done.by);
    let mended = done.mended.into_iter().map(|one| {
        let usage = one.cost.usage;
        vec![
            one.node.label.name().into(),
            one.node.key.into(),
            one.text.into(),
            Value::Null,
            count(one.cost.calls),
            count(usage.input_tokens),
            count(usage.output_tokens),
            by.clone(),
        ]
    });
    let without = |node: NodeKey, problem: Value| {
        let (label, key) = (node.label.name(), node.key);
        let mut row = vec![label.into(), key.into(), Value::Null, problem];
        row.extend([Value::Null, Value::Null, Value::Null, Value::Null]);
        row
    };
    let forgotten = done.forgotten.into_iter();
    let forgotten = forgotten.map(|node| without(node, Value::Null));
    let failed = done.failed.into_iter();
    let failed = failed.map(|one| without(one.node, causes(&one.error).into()));
    Ok(mended.chain(forgotten).chain(failed).collect())
}

/// The report of one document, if it is in the graph now.
fn taken(mut report: Report) -> Result<Report, HostFailure> {
    match report.ended.take() {
        Some(Ended::Database(error)) => return Err(error.into()),
        Some(Ended::Stopped) => return Err(stratigraph::Error::Cancelled.into()),
        None => {}
    }
    match report.problems.failed.first() {
        Some(failed) if report.documents == 0 => Err(causes(&*failed.error).into()),
        // A list of facts is in without the lines that are broken.
        _ => Ok(report),
    }
}

fn failed(error: DoorError) -> HostFailure {
    match error {
        DoorError::Build(BuildError::Database(error)) => error.into(),
        error => causes(&error).into(),
    }
}

fn text(arguments: &[Value], at: usize) -> &str {
    let value = arguments.get(at).and_then(Value::as_str);
    value.unwrap_or_default()
}

fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
