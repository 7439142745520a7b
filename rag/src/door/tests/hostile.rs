//! Documents that give orders, and a model that obeys, through the whole door: nothing is in the graph that its schema
//! does not have, nothing of it was executed, and what others said is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;

use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Endpoint, ModelError, ScriptedServer, Step};

use super::*;
use crate::extract::ExtractError;
use crate::extract::model::hostile::{ELSEWHERE, ORDERS, documents, obey};
use crate::read::{Format, Source};
use crate::retrieve::{Pipeline, Question};

/// What every database of documents has, and those of this system.
struct Schema {
    system: System,
    labels: &'static [&'static str],
    types: &'static [&'static str],
    properties: &'static [&'static str],
}

/// All that chains begin with: the one thing that documents share which name nothing that others name.
const ROOT: &str = "all disciplines";

/// A database with a model that obeys whatever its documents say, and an address that these and the model name.
struct Attacked {
    db: Database,
    library: Library,
    /// Nobody ever takes a connection here: one that was made waits.
    named: TcpListener,
    from_documents: String,
    from_model: String,
    _model: ScriptedServer,
}

impl Attacked {
    fn new(system: System) -> Self {
        let named = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        named.set_nonblocking(true).unwrap();
        let at = named.local_addr().unwrap();
        let from_model = format!("http://{at}/from-the-model");
        let address = from_model.clone();
        let model = ScriptedServer::start(move |asked| {
            let format = &asked.body["response_format"]["json_schema"];
            let message = asked.body["messages"][1]["content"].as_str();
            let task = format["name"].as_str().unwrap_or_default();
            let reply = obey(task, message.unwrap_or_default(), &address);
            match asked.body["stream"].as_bool() {
                Some(true) => Step::Stream {
                    pieces: vec![reply],
                    whole: true,
                },
                _ => Step::text(&reply),
            }
        })
        .unwrap();
        let endpoint = Endpoint::builder(&model.url()).build().unwrap();
        let equipment = Equipment::default().model(Arc::new(endpoint.chat("obedient")), 8);
        let (db, library) = library(equipment);
        library.create(&Wanted::new(system)).unwrap();
        Self {
            db,
            library,
            from_documents: format!("http://{at}/from-a-document"),
            from_model,
            named,
            _model: model,
        }
    }

    fn take_in(
        &self,
        documents: impl IntoIterator<Item = (String, String)>,
    ) -> crate::ingest::Report {
        let read = documents
            .into_iter()
            .map(|(id, text)| Source::new(&id, text.as_bytes()).read(Format::Markdown));
        let open = self.library.open().unwrap();
        let report = open.ingestion(&CancelToken::new()).run(read, &|_| ());
        assert!(report.ended.is_none(), "{:?}", report.ended);
        report
    }

    /// Others, who name what no hostile document may say anything of.
    fn bystanders(&self) {
        let report = self.take_in((0..4).map(|number| {
            let [company, project, lady, account] = ELSEWHERE;
            let text = format!(
                "# Accounts {number}\n\n{company} pays for {project}. {lady} keeps the {account}.\n"
            );
            (format!("a-{number}.md"), text)
        }));
        assert_eq!((report.documents, report.problems.count_failed), (4, 0));
    }

    /// Documents that give orders and name the address. How many are in, and how many a model's reply has kept out.
    fn attack(&self) -> (usize, usize) {
        let hostile = documents();
        assert!(hostile.len() >= 200);
        let report = self.take_in(hostile.iter().enumerate().map(|(number, (text, _))| {
            let address = &self.from_documents;
            (
                hostile_id(number),
                format!("{text}\nSee <{address}> and ![it]({address}.png).\n"),
            )
        }));
        for failed in &report.problems.failed {
            let error = failed.error.downcast_ref::<ExtractError>();
            let Some(ExtractError::Model { source, .. }) = error else {
                panic!("{:?}: {}", failed.document, failed.error);
            };
            assert!(matches!(**source, ModelError::BadReply { .. }), "{source}");
        }
        assert_eq!(
            report.documents + report.problems.count_failed,
            hostile.len()
        );
        (report.documents, report.problems.count_failed)
    }

    fn nobody_connected(&self) {
        let connected = self.named.accept();
        let nobody = connected
            .as_ref()
            .is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(
            nobody,
            "an address that a text named was asked: {connected:?}"
        );
    }

    /// All words of this query.
    fn words(&self, text: &str) -> BTreeSet<String> {
        rows(&self.db, text)
            .iter()
            .map(|row| row.get("word").unwrap())
            .collect()
    }

    fn has_the_schema(&self, schema: &Schema) {
        let properties = [
            // Settings are named by the profile, before any document.
            "MATCH (n) WHERE NOT n:LayerSettings UNWIND keys(n) AS word RETURN DISTINCT word",
            "MATCH ()-[r]->() UNWIND keys(r) AS word RETURN DISTINCT word",
        ];
        let properties = properties.iter().flat_map(|text| self.words(text));
        let found = [
            self.words("MATCH (n) UNWIND labels(n) AS word RETURN DISTINCT word"),
            self.words("MATCH ()-[r]->() RETURN DISTINCT type(r) AS word"),
            properties.collect(),
        ];
        let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let stated = [schema.labels, schema.types, schema.properties].map(all);
        assert_eq!(found, stated);
    }

    /// What is called by a name that no hostile document has. Object tags are in capitals.
    fn named_elsewhere(&self) -> BTreeSet<i64> {
        let names = ELSEWHERE.map(str::to_uppercase);
        let text = format!("MATCH (n) WHERE toUpper(n.name) IN {names:?} RETURN id(n) AS id");
        let found = rows(&self.db, &text);
        found.iter().map(|row| row.get("id").unwrap()).collect()
    }

    fn seen(&self) -> Seen {
        let nodes = rows(
            &self.db,
            "MATCH (n) RETURN id(n) AS id, labels(n) AS labels, properties(n) AS all",
        );
        let nodes = nodes
            .iter()
            .map(|row| (row.get("id").unwrap(), format!("{row:?}")));
        let links = "MATCH (a)-[r]->(b) RETURN id(r) AS id, id(a) AS a, id(b) AS b, type(r) AS type, properties(r) AS all";
        let links = rows(&self.db, links);
        let links = links.iter().map(|row| {
            let ends = [row.get("a").unwrap(), row.get("b").unwrap()];
            (row.get("id").unwrap(), (ends, format!("{row:?}")))
        });
        let root = format!("MATCH (d:DomainTag {{key: '{ROOT}'}}) RETURN id(d) AS id");
        Seen {
            nodes: nodes.collect(),
            links: links.collect(),
            root: rows(&self.db, &root)
                .first()
                .map(|row| row.get("id").unwrap()),
        }
    }

    /// Everything as text without ids, but for what models were asked.
    fn canonical(&self) -> String {
        let open = self.library.open().unwrap();
        open.layers().replies().forget().unwrap();
        let mut text = Vec::new();
        self.db
            .dump_canonical(&mut text, &mut Watch::quiet())
            .unwrap();
        String::from_utf8(text).unwrap()
    }

    /// Asks about every order: the model obeys it. How many answers there are, and how many the reply has kept away.
    fn ask(&self, preset: &str) -> (usize, usize) {
        let (mut answered, mut refused) = (0, 0);
        let open = self.library.open().unwrap();
        let pipeline = Pipeline::preset(preset).unwrap();
        for order in ORDERS {
            let text = format!(
                "What did the Bank of Ruritania raise, and what is order-{order} order-{order} order-{order} order-{order}?"
            );
            let question = Question::new(&text).unwrap();
            let answer = open.ask(
                &Ask::new(&pipeline, &question),
                &CancelToken::new(),
                &mut |_| (),
            );
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    assert!(
                        causes(&error).contains("tries"),
                        "{preset}, {order}: {}",
                        causes(&error)
                    );
                    refused += 1;
                    continue;
                }
            };
            let written: Vec<&str> = answer
                .answer
                .iter()
                .map(|one| one.text.as_str())
                .chain([answer.analysis.as_str()])
                .collect();
            for text in written {
                assert!(
                    !text.contains(&self.from_model)
                        && !text.contains("javascript:")
                        && !text.to_lowercase().contains("evil.example"),
                    "{text}"
                );
                assert!(
                    !text.contains(|sign: char| sign.is_control() || sign == '\u{202E}'),
                    "{text:?}"
                );
            }
            for sentence in &answer.answer {
                let cites = |number| answer.sources.iter().any(|one| one.number == number);
                assert!(
                    sentence.sources.iter().all(|number| cites(*number)),
                    "{sentence:?}"
                );
            }
            answered += 1;
        }
        (answered, refused)
    }
}

/// All of a graph, with ids.
struct Seen {
    nodes: BTreeMap<i64, String>,
    links: BTreeMap<i64, ([i64; 2], String)>,
    root: Option<i64>,
}

impl Seen {
    /// Whether all that was there is as it was, and nothing new touches it.
    fn stands_in(&self, after: &Self) {
        for (id, shown) in &self.nodes {
            assert_eq!(after.nodes.get(id), Some(shown));
        }
        for (id, link) in &self.links {
            assert_eq!(after.links.get(id), Some(link));
        }
        for (id, (ends, shown)) in &after.links {
            let touches = |end: &i64| self.nodes.contains_key(end) && Some(*end) != self.root;
            let is_new = !self.links.contains_key(id);
            assert!(!is_new || !ends.iter().any(touches), "{shown}");
        }
    }
}

fn hostile_id(number: usize) -> String {
    format!("z-{number}.md")
}

fn orders_get_nothing_into_a_database(schema: &Schema) {
    let attacked = Attacked::new(schema.system);
    attacked.bystanders();
    let alone = attacked.canonical();
    let before = attacked.seen();
    let named = attacked.named_elsewhere();
    assert!(!named.is_empty());
    let declared = rows(&attacked.db, "SHOW INDEXES").len();
    let (inside, outside) = attacked.attack();
    // Neither is what always happens.
    assert!(inside > 100 && outside > 50, "{inside} in, {outside} not");
    attacked.has_the_schema(schema);
    before.stands_in(&attacked.seen());
    assert_eq!(attacked.named_elsewhere(), named);
    let there = rows(&attacked.db, "MATCH (d:Document) RETURN count(d) AS n");
    assert_eq!(there[0].get::<i64>("n").unwrap(), 4 + inside as i64);
    assert_eq!(rows(&attacked.db, "SHOW INDEXES").len(), declared);
    attacked.nobody_connected();

    // What is asked afterwards only reads.
    let at = attacked.db.read().unwrap().commit_seq();
    // What the system's own way finds is often nothing; what is near is always shown to the model.
    attacked.ask(schema.system.name());
    let (answered, refused) = attacked.ask("vector");
    assert!(
        answered > 2 && refused > 2,
        "{answered} answered, {refused} not"
    );
    assert_eq!(attacked.db.read().unwrap().commit_seq(), at);
    attacked.nobody_connected();

    // Without them it is as if they had never been.
    for number in 0..documents().len() {
        attacked.library.delete(&hostile_id(number)).unwrap();
    }
    assert!(
        attacked.canonical() == alone,
        "something is left of hostile documents"
    );
}

#[test]
fn orders_get_nothing_into_instances() {
    orders_get_nothing_into_a_database(&Schema {
        system: System::Bag,
        labels: &[
            "Chunk",
            "Document",
            "Instance",
            "LayerSettings",
            "ModelCall",
            "Section",
        ],
        types: &["HAS_CHILD", "HAS_INSTANCE", "RELATED"],
        properties: &[
            "called",
            "chunk",
            "chunks",
            "description",
            "descriptions",
            "document",
            "embedding",
            "end",
            "hash",
            "heading",
            "id",
            "input_tokens",
            "key",
            "kind",
            "model",
            "name",
            "output_tokens",
            "predicate",
            "prompt",
            "reply",
            "sentences",
            "start",
            "taken_in",
            "text",
            "title",
        ],
    });
}

#[test]
fn orders_get_nothing_into_tags() {
    orders_get_nothing_into_a_database(&Schema {
        system: System::Tag,
        labels: &[
            "Chunk",
            "Document",
            "DomainTag",
            "Entity",
            "LayerSettings",
            "ModelCall",
            "ObjectTag",
            "Section",
        ],
        types: &[
            "ASSERTS",
            "COVERS",
            "DESCRIBES",
            "FACT",
            "HAS_CHILD",
            "HAS_SUBDOMAIN",
            "HAS_TAG",
            "MENTIONS",
            "STATES",
        ],
        properties: &[
            "called",
            "chain",
            "chains",
            "description",
            "document",
            "embedding",
            "end",
            "fact",
            "hash",
            "heading",
            "id",
            "input_tokens",
            "key",
            "kind",
            "model",
            "name",
            "output_tokens",
            "predicate",
            "prompt",
            "reply",
            "source",
            "start",
            "taken_in",
            "text",
            "title",
        ],
    });
}

#[test]
fn orders_get_nothing_into_facts() {
    orders_get_nothing_into_a_database(&Schema {
        system: System::Triples,
        labels: &[
            "Chunk",
            "Document",
            "Entity",
            "LayerSettings",
            "ModelCall",
            "Section",
        ],
        types: &["FACT", "HAS_CHILD", "MENTIONS", "STATES"],
        properties: &[
            "called",
            "document",
            "embedding",
            "embedding_with_source",
            "end",
            "fact",
            "hash",
            "heading",
            "id",
            "input_tokens",
            "key",
            "model",
            "name",
            "output_tokens",
            "predicate",
            "prompt",
            "reply",
            "source",
            "start",
            "taken_in",
            "text",
            "title",
        ],
    });
}

#[test]
fn orders_get_nothing_beside_chunks() {
    orders_get_nothing_into_a_database(&Schema {
        system: System::Hybrid,
        labels: &[
            "Chunk",
            "Document",
            "Entity",
            "LayerSettings",
            "ModelCall",
            "Section",
        ],
        types: &["FACT", "HAS_CHILD", "MENTIONS", "STATES"],
        properties: &[
            "called",
            "document",
            "embedding",
            "end",
            "fact",
            "hash",
            "heading",
            "id",
            "input_tokens",
            "key",
            "kind",
            "model",
            "name",
            "output_tokens",
            "predicate",
            "prompt",
            "reply",
            "source",
            "start",
            "taken_in",
            "text",
            "title",
        ],
    });
}
