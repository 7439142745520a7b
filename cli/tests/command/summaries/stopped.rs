//! Ctrl-C while summaries are written, or documents come in: what is there is told, with its bill, and the next run asks for the
//! rest.

use super::*;
use crate::served::interrupt;
use crate::world::command;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A generous limit of patience.
const PATIENCE: Duration = Duration::from_secs(30);

/// A model that says when it is asked for a summary, or to read a text, and answers no such thing before it is let go on.
struct Slow {
    model: ScriptedServer,
    asked: Receiver<()>,
    go_on: Sender<()>,
}

impl Slow {
    /// Slow with summaries.
    fn start() -> Self {
        Self::with_texts(false)
    }

    /// Slow with texts, or else with summaries.
    fn with_texts(is_slow_with_texts: bool) -> Self {
        let (tell, asked) = channel();
        let (go_on, waits) = channel::<()>();
        let waits = Mutex::new(waits);
        let summary = json!({"summary": "Basalt is a rock."}).to_string();
        let fact = json!({"subject": "Basalt", "relation": "comes from", "object": "Mount Etna", "source": ""});
        let facts = json!({"triples": [fact]}).to_string();
        let model = ScriptedServer::start(move |asked| {
            let is_text = asked.question().contains("<<text ");
            if is_text == is_slow_with_texts {
                // After the first nobody listens, and nobody is waited for.
                let _ = tell.send(());
                let _ = waits.lock().unwrap().recv();
            }
            match is_text {
                true => Step::text(&facts),
                false => Step::text(&summary),
            }
        });
        let model = model.unwrap();
        Self {
            model,
            asked,
            go_on,
        }
    }

    /// Runs the binary until it is slow, and stops it there. What is under way ends as it should.
    fn stop(self, arguments: &[&str]) -> (ScriptedServer, Said) {
        let mut child = self.interrupted(arguments);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        // It has heard it when it says so, or has ended.
        while !said.contains("stopping after this step") {
            if stderr.read_line(&mut said).unwrap() == 0 {
                break;
            }
        }
        drop(self.go_on);
        stderr.read_to_string(&mut said).unwrap();
        let mut ended = Self::ended(child);
        ended.stderr = said;
        (self.model, ended)
    }

    /// The same where a server asks the model: who is stopped waits for neither, and the model goes on when he has ended.
    fn stop_before_it_goes_on(self, arguments: &[&str]) -> (ScriptedServer, Said) {
        let said = Self::ended(self.interrupted(arguments));
        drop(self.go_on);
        (self.model, said)
    }

    /// The binary, told to stop when the model is asked.
    fn interrupted(&self, arguments: &[&str]) -> Child {
        let child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        self.asked.recv_timeout(PATIENCE).unwrap();
        interrupt(&child);
        child
    }

    fn ended(child: Child) -> Said {
        let output = child.wait_with_output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The flags of it, asked one thing at a time.
    fn flags(&self) -> Vec<String> {
        let url = self.model.url();
        let flags = ["--llm", &url, "--model", "small", "--calls", "1"];
        flags.map(str::to_owned).to_vec()
    }
}

/// How many summaries the model was asked for.
fn summaries_asked(model: &ScriptedServer) -> usize {
    let asked = model.asked();
    let summaries = asked
        .iter()
        .filter(|one| !one.question().contains("<<text "));
    summaries.count()
}

#[test]
fn what_was_summarised_by_then_is_told_and_the_next_run_asks_for_the_rest() {
    let world = World::new();
    documents(&world, ROCKS);
    let folder = world.path("graph");
    let graph = text(&folder);
    ingest(&world, graph, &["--profile", "tag"]).assert_code(0);
    let slow = Slow::start();
    let flags = slow.flags();
    let llm: Vec<&str> = flags.iter().map(String::as_str).collect();
    let dry = summarise(graph, &[&llm[..], &["--dry-run"]].concat(), 0);
    let all = dry["written"].as_u64().unwrap();
    assert!(all > 1, "{dry}");

    let (model, said) = slow.stop(&[&["summarise", graph, "--json"], &llm[..]].concat());
    let done = said.assert_code(130).answer("summarise", &["stale"]);
    assert_eq!(
        (&done["written"], &done["model"]["calls"]),
        (&1.into(), &1.into())
    );
    let (kind, message) = said.error_after_output();
    assert_eq!(kind, "cancelled");
    assert!(
        message.contains(&format!(
            "1 summary is kept in {graph}: run the same command"
        )),
        "{message}"
    );
    let rest = summarise(graph, &llm, 0);
    assert_eq!(
        (&rest["written"], &rest["model"]["calls"]),
        (&(all - 1).into(), &(all - 1).into())
    );
    assert_eq!(summaries_asked(&model) as u64, all);
}

#[test]
fn what_came_of_documents_is_told_when_their_summaries_are_stopped() {
    let world = World::new();
    documents(&world, ROCKS);
    let (docs, folder) = (world.path("docs"), world.path("graph"));
    let slow = Slow::start();
    let flags = slow.flags();
    let how = ["--profile", "triples", "--summarise=entities", "--json"];
    let how = how.into_iter().chain(flags.iter().map(String::as_str));
    let how: Vec<&str> = how.collect();
    let ingest_them = ["ingest", text(&docs), "--into", text(&folder)];
    let (model, said) = slow.stop(&[&ingest_them[..], &how[..]].concat());
    let done = ingested(&said, 130);
    assert_eq!(
        (&done["documents"], &done["added"], &done["count_failed"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert_eq!(done["summaries"]["written"], 1, "{done}");
    // The bill is that of both.
    assert_eq!(
        done["model"]["calls"].as_u64().unwrap(),
        model.asked().len() as u64
    );
    let (kind, message) = said.error_after_output();
    assert_eq!(kind, "cancelled");
    assert!(message.contains("1 summary is kept in "), "{message}");
    let rest = ingest(&world, text(&folder), &how);
    let rest = ingested(&rest, 0);
    assert_eq!(
        (&rest["unchanged"], &rest["summaries"]["written"]),
        (&1.into(), &1.into())
    );
    assert_eq!(summaries_asked(&model), 2);
}

#[test]
fn what_came_in_is_told_when_it_is_stopped_before_what_is_gone_is_taken_out() {
    let world = World::new();
    world.write("docs/gone.md", ROCKS);
    let (docs, folder) = (world.path("docs"), world.path("graph"));
    let graph = text(&folder);
    ingest(&world, graph, &["--profile", "triples"]).assert_code(0);
    fs::remove_file(docs.join("gone.md")).unwrap();
    for name in ["a", "b"] {
        let contents = format!("# {name}\n\nBasalt comes from Mount Etna, says {name}.\n");
        world.write(&format!("docs/{name}.md"), &contents);
    }
    let slow = Slow::with_texts(true);
    let flags = slow.flags();
    let how = ["--prune", "--yes", "--json"].into_iter();
    let how: Vec<&str> = how.chain(flags.iter().map(String::as_str)).collect();
    let ingest_them = ["ingest", text(&docs), "--into", graph];
    let (model, said) = slow.stop(&[&ingest_them[..], &how[..]].concat());
    let done = ingested(&said, 130);
    assert_eq!(
        (&done["documents"], &done["added"], &done["pruned"]),
        (&1.into(), &1.into(), &0.into()),
        "{done}"
    );
    assert_eq!(
        done["model"]["calls"].as_u64().unwrap(),
        model.asked().len() as u64
    );
    assert_eq!(said.error_after_output().0, "cancelled");
    let rest = ingest(&world, graph, &how);
    let rest = ingested(&rest, 0);
    assert_eq!(
        (&rest["unchanged"], &rest["added"], &rest["pruned"]),
        (&1.into(), &1.into(), &1.into()),
        "{rest}"
    );
}

#[test]
fn at_an_address_what_came_of_documents_is_told_as_well() {
    let world = World::new();
    documents(&world, ROCKS);
    let slow = Slow::start();
    let url = slow.model.url();
    let llm = ["--llm", &url, "--model", "small"];
    let served = Served::start(&world.path("data"), &llm);
    let address = served.address();
    let docs = world.path("docs");
    let how = ["--profile", "triples", "--summarise=entities", "--json"];
    let ingest_them = ["ingest", text(&docs), "--into", &address];
    let arguments = [&ingest_them[..], &how[..]].concat();
    let (model, said) = slow.stop_before_it_goes_on(&arguments);
    let done = ingested(&said, 130);
    // How many the server has written by then nobody here has heard.
    assert_eq!(
        (&done["documents"], &done["added"], &done["summaries"]),
        (&1.into(), &1.into(), &Json::Null)
    );
    assert_eq!(said.error_after_output().0, "cancelled");
    // The next run waits for what may still be under way over there, and pays for nothing twice.
    ingested(&ingest(&world, &address, &how), 0);
    let count = "MATCH (e:Entity) WHERE e.summary IS NOT NULL RETURN count(e) AS n";
    let said = run(&["query", &address, "--format", "plain", count]);
    assert_eq!(said.assert_code(0).stdout.trim(), "2");
    assert_eq!(summaries_asked(&model), 2);
    served.terminate();
}
