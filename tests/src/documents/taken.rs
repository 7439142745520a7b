//! A process that takes documents in as `stratigraph ingest --prune` does, by rules or with a model behind a socket, is
//! killed again and again, and started anew until it comes to its end: then the graph is the one that the documents of
//! now make under the names of now, and the model was asked nothing twice but what was under way at a kill.
//!
//! The documents are taken in at several stages of a program, and each has other names that somebody has agreed to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use stratigraph::Database;
use stratigraph_models::{Asked, Endpoint, ScriptedServer, Step};
use stratigraph_rag::build::{Called, Layers};
use stratigraph_rag::chunk::Chunking;
use stratigraph_rag::ingest::{Ingest, Recipe, Report, System};

use super::hand::{Reader, canonical, compare, read};
use super::killed::{die_in_time, open, say};
use super::program::{Documents, after, steps};
use super::stub::Letters;
use crate::driver::link::die_with_parent;
use crate::driver::rng;
use crate::driver::scratch::Scratch;

/// After so many steps of a program its documents are taken in.
const STAGES: [usize; 3] = [5, 10, 14];
/// So many calls of the model are under way at once.
const CALLS: usize = 2;
/// How long the model hears nothing new before it is taken to have heard all that a killed process has sent.
const SETTLED: Duration = Duration::from_millis(20);
/// So often a stage is cut short before it may come to its end.
const MOST_KILLS: usize = 4;
/// Names that may be agreed to.
const NAMES: [(Called, &str, &str); 4] = [
    (Called::Entity, "Lava", "Basalt"),
    (Called::Entity, "old sea", "Granite"),
    (Called::Relation, "lies on", "splits"),
    (Called::Relation, "was", "is said to be"),
];

/// What the process that is killed is told.
#[derive(Debug, clap::Args)]
pub struct ChildArgs {
    /// The database.
    #[arg(long)]
    dir: PathBuf,
    /// The seed of the program.
    #[arg(long)]
    seed: u64,
    /// How many of its steps have happened to the documents.
    #[arg(long)]
    steps: usize,
    /// Where the model is; rules read if there is none.
    #[arg(long)]
    llm: Option<String>,
}

/// The process that is killed: takes the documents of a stage in, and says a line for each piece.
///
/// # Errors
/// Whatever the database or the model refuses.
pub fn child(arguments: &ChildArgs) -> Result<()> {
    die_with_parent();
    let db = open(&arguments.dir)?;
    let stage = Stage::of(arguments.seed, arguments.steps);
    // Whoever hears nothing any more has gone, and takes this process along.
    stage.take_in(&db, arguments.llm.as_deref(), &|| drop(say("piece")))?;
    Ok(db.close()?)
}

/// What there is at one moment: the documents, and which names stand for others.
struct Stage {
    documents: Documents,
    names: Vec<(Called, &'static str, &'static str)>,
}

impl Stage {
    fn of(seed: u64, count: usize) -> Self {
        let mut rng = rng(seed, count as u64, "names");
        let mut names = NAMES.to_vec();
        names.retain(|_| rng.bool());
        Self {
            documents: after(&steps(seed, count)),
            names,
        }
    }

    /// Agrees to these names and no others, takes these documents in, and takes all others out.
    fn take_in(
        &self,
        db: &Database,
        llm: Option<&str>,
        told: &(dyn Fn() + Sync),
    ) -> Result<(Layers, Report)> {
        let system = match llm {
            Some(_) => System::Triples,
            None => System::Tag,
        };
        let recipe = Recipe::new(system, 40).filterable(["year"]);
        let recipe = recipe.chunking(Chunking::Structure { limit: 40 });
        let layers = Layers::open(db, recipe.profile(), Arc::new(Letters::default()))?;
        for (called, name, _) in layers.agreed()?.all() {
            if !self.names.iter().any(|known| known.1 == name) {
                layers.agree(called, name, None)?;
            }
        }
        for (called, name, stands) in &self.names {
            layers.agree(*called, name, Some(stands))?;
        }
        let mut ingest = Ingest::new(&layers, &recipe).threads(CALLS);
        if let Some(url) = llm {
            let endpoint = Endpoint::builder(url).concurrent_calls(CALLS).build()?;
            ingest = ingest.model(Arc::new(endpoint.chat("scripted")));
        }
        let documents = self.documents.iter();
        let documents = documents.map(|(id, written)| read(id, written));
        let report = ingest.run(documents, &|_| told());
        drop(ingest);
        ensure!(
            report.problems.count_failed == 0 && report.ended.is_none(),
            "{report:?}"
        );
        for id in layers.documents()? {
            if !self.documents.contains_key(&id) {
                layers.delete(&id)?;
            }
        }
        Ok((layers, report))
    }

    /// The canonical dump of a new database into which this is taken.
    fn built(&self, reader: Reader) -> Result<String> {
        // One of its own: what it is asked is asked for another database.
        let server = ScriptedServer::start(script)?;
        let url = (reader == Reader::Model).then(|| server.url());
        let db = Database::in_memory()?;
        let (layers, _) = self.take_in(&db, url.as_deref(), &|| ())?;
        canonical(&layers)
    }
}

/// A model that reads the lines `SUBJECT | VERB | OBJECT | SOURCE`, and takes a moment for it.
fn script(asked: &Asked) -> Step {
    let facts = asked.question().lines().filter_map(|line| {
        let mut parts = line.split('|').map(str::trim);
        let [subject, verb, object, source] = [(); 4].map(|()| parts.next());
        let (subject, verb, object, source) = (subject?, verb?, object?, source?);
        Some(format!(
            "{{\"subject\": {subject:?}, \"relation\": {verb:?}, \"object\": {object:?}, \"source\": {source:?}}}"
        ))
    });
    let facts: Vec<String> = facts.collect();
    let reply = format!("{{\"triples\": [{}]}}", facts.join(", "));
    Step::After(Duration::from_millis(1), Box::new(Step::text(&reply)))
}

/// What the model was asked, with what a process that was killed had sent: it may be read a moment later.
fn all_asked(server: &ScriptedServer) -> Vec<Asked> {
    let mut asked = server.asked();
    loop {
        std::thread::sleep(SETTLED);
        let now = server.asked();
        if now.len() == asked.len() {
            return now;
        }
        asked = now;
    }
}

/// The parent, and what it has seen.
#[derive(Debug)]
pub struct Taken {
    /// A program that knows the subcommand `take`.
    program: PathBuf,
    /// How often it has killed.
    pub kills: u64,
    /// How often a model was asked,
    pub asked: u64,
    /// and how often what it was asked before, as that was under way at a kill.
    pub again: u64,
}

impl Taken {
    /// Nobody yet. The program is the one that knows the subcommand `take`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            kills: 0,
            asked: 0,
            again: 0,
        }
    }

    /// One program, killed at each of its stages.
    ///
    /// # Errors
    /// If the graph is another than it should be, or something was paid twice.
    pub fn run(&mut self, seed: u64, reader: Reader) -> Result<()> {
        let scratch = Scratch::new(None, "law")?;
        let dir = scratch.root().join("database");
        let server = ScriptedServer::start(script)?;
        let url = (reader == Reader::Model).then(|| server.url());
        let mut rng = rng(seed, 2, "kills");
        let (mut known, mut heard, mut under_way) = (BTreeSet::new(), 0, 0);
        for count in STAGES {
            let stage = Stage::of(seed, count);
            for attempt in 0..=MOST_KILLS {
                let lines = match attempt {
                    MOST_KILLS => usize::MAX,
                    _ => rng.usize(0..12),
                };
                let killed = self.work((&dir, seed, count), url.as_deref(), lines, &mut rng)?;
                let asked = match killed && url.is_some() {
                    true => all_asked(&server),
                    false => server.asked(),
                };
                let count_asked = asked.len() - heard;
                let new = asked[heard..].iter().map(|asked| asked.body.to_string());
                let again = new.filter(|body| !known.insert(body.clone())).count();
                heard = asked.len();
                ensure!(
                    again <= under_way,
                    "{reader:?}: {again} questions were asked twice, and {under_way} may have been under way at a kill"
                );
                self.again += again as u64;
                under_way -= again;
                if !killed {
                    break;
                }
                // No more than were asked can have been under way.
                under_way += CALLS.min(count_asked);
            }
            // The stage has come to its end: whatever a kill had interrupted was asked again, or is not needed any more.
            under_way = 0;
            let db = open(&dir)?;
            let (layers, report) = stage.take_in(&db, url.as_deref(), &|| ())?;
            // Nothing is left to do, and so nobody is asked.
            ensure!(
                report.unchanged == stage.documents.len() && report.change.keys == 0,
                "{reader:?}: after {count} steps: {report:?}"
            );
            ensure!(
                server.asked().len() == heard,
                "{reader:?}: what is unchanged was asked about"
            );
            compare(&canonical(&layers)?, &stage.built(reader)?)
                .with_context(|| format!("{reader:?}: after {count} steps"))?;
            drop(layers);
            db.close()?;
        }
        self.asked += heard as u64;
        scratch.remove()
    }

    /// Lets a child work until it has said so many lines, and kills it; whether it was at its work then.
    fn work(
        &mut self,
        (dir, seed, count): (&Path, u64, usize),
        url: Option<&str>,
        lines: usize,
        rng: &mut fastrand::Rng,
    ) -> Result<bool> {
        let child = Command::new(&self.program)
            .arg("take")
            .arg(format!("--dir={}", dir.display()))
            .arg(format!("--seed={seed}"))
            .arg(format!("--steps={count}"))
            .args(url.map(|url| format!("--llm={url}")))
            .stdout(Stdio::piped())
            .spawn()?;
        let killed = die_in_time(child, lines, rng, &mut |_| Ok(()))?;
        self.kills += u64::from(killed);
        Ok(killed)
    }
}
