//! A server that speaks OpenAI's calls over a real socket and says what a script tells it, good or bad.
//!
//! It is for tests: of this crate, and of programs that are pointed at its address. A script sees each call and
//! says what happens: a reply, one in pieces, a refusal, another address, a long silence, a reply that drips or stalls,
//! a connection that ends in the middle, or on one side only.
//!
//! ```
//! use stratigraph_models::{Endpoint, Generator, Request, ScriptedServer, Step};
//!
//! let server = ScriptedServer::start(|asked| Step::text(&format!("{} asked", asked.model())))?;
//! let model = Endpoint::builder(&server.url()).build()?.chat("tiny");
//! assert_eq!(model.generate(&Request::new("", "hello"))?.text, "tiny asked");
//! assert_eq!(server.asked().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest head and body of a call that are read.
const LONGEST_HEAD: u64 = 64 << 10;
const LONGEST_BODY: usize = 64 << 20;
/// The half of a reply.
const HALF: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [";

/// A server that says what a script tells it, until it is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    ended: Arc<AtomicBool>,
}

/// A call as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its path, such as `/v1/chat/completions`.
    pub path: String,
    /// What it said of who asks.
    pub authorization: Option<String>,
    /// What it asks.
    pub body: Value,
    /// How many calls came before it.
    pub place: usize,
}

/// What happens to a call.
#[derive(Clone, Debug)]
pub enum Step {
    /// This is the reply.
    Json(Value),
    /// This is the reply, and no JSON.
    Body(String),
    /// It is refused with this status and words, and when it may be tried again.
    Refuse {
        /// The status of HTTP.
        status: u16,
        /// Seconds, as `Retry-After` has them.
        retry_after: Option<u64>,
        /// The words.
        message: String,
    },
    /// It is sent to another address.
    Redirect {
        /// The status of HTTP.
        status: u16,
        /// The address, as `Location` has it.
        to: String,
    },
    /// The reply comes in these pieces, and says that this was all if it is whole.
    Stream {
        /// Each has some of the text.
        pieces: Vec<String>,
        /// Whether it ends as it should.
        whole: bool,
    },
    /// These pieces of a reply come, and then nothing, for as long as the client stays.
    Stalls(Vec<String>),
    /// The reply comes byte by byte with such a pause before each, for as long as the client stays.
    Drips(Duration, Value),
    /// Nothing is said for so long, then something happens.
    After(Duration, Box<Step>),
    /// Half of a reply, and the connection ends.
    Half,
    /// Half of a reply, and the server says that it has no more; it goes on listening for as long as the client stays.
    HalfClosed,
    /// The connection ends without a word.
    Nothing,
}

impl Asked {
    /// The model that is asked.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// What was said last.
    #[must_use]
    pub fn question(&self) -> &str {
        let last = self.body["messages"]
            .as_array()
            .and_then(|messages| messages.last());
        last.and_then(|message| message["content"].as_str())
            .unwrap_or_default()
    }
}

impl Step {
    /// A model writes this.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Json(json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": text.len().div_ceil(4)}
        }))
    }

    /// A model makes these vectors.
    #[must_use]
    pub fn vectors(vectors: &[Vec<f32>]) -> Self {
        let data = vectors.iter().enumerate();
        let data: Vec<Value> = data
            .map(|(index, vector)| json!({"index": index, "embedding": vector}))
            .collect();
        Self::Json(json!({"data": data, "usage": {"prompt_tokens": 5}}))
    }

    /// It is refused.
    #[must_use]
    pub fn refuse(status: u16) -> Self {
        Self::Refuse {
            status,
            retry_after: None,
            message: "refused by the script".to_owned(),
        }
    }
}

impl ScriptedServer {
    /// Listens on this machine, and asks the script what happens to each call.
    ///
    /// # Errors
    ///
    /// When there is no port to listen at.
    pub fn start(script: impl Fn(&Asked) -> Step + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let server = Self {
            address: listener.local_addr()?,
            asked: Arc::default(),
            ended: Arc::default(),
        };
        let (asked, ended) = (Arc::clone(&server.asked), Arc::clone(&server.ended));
        let script = Arc::new(script);
        thread::spawn(move || {
            for connection in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(connection) = connection else { continue };
                let (asked, script) = (Arc::clone(&asked), Arc::clone(&script));
                // A client that breaks off is its own business.
                thread::spawn(move || serve(&connection, &asked, &*script));
            }
        });
        Ok(server)
    }

    /// What an endpoint is given as its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All calls so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // It waits for a connection; this is one.
        let _ = TcpStream::connect(self.address);
    }
}

fn lock(asked: &Mutex<Vec<Asked>>) -> MutexGuard<'_, Vec<Asked>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    connection: &TcpStream,
    asked: &Mutex<Vec<Asked>>,
    script: &dyn Fn(&Asked) -> Step,
) -> io::Result<()> {
    let mut reader = BufReader::new(connection);
    while let Some(mut call) = read(&mut reader)? {
        let mut all = lock(asked);
        call.place = all.len();
        all.push(call.clone());
        drop(all);
        if !answer(connection, script(&call))? {
            return connection.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

/// The next call of a connection, unless it has ended.
fn read(reader: &mut impl BufRead) -> io::Result<Option<Asked>> {
    let mut head = reader.by_ref().take(LONGEST_HEAD);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let Some(path) = line.split(' ').nth(1).map(str::to_owned) else {
        return Ok(None);
    };
    let (mut length, mut authorization) = (0, None);
    loop {
        line.clear();
        if head.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length.min(LONGEST_BODY)];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked {
        path,
        authorization,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        place: 0,
    }))
}

/// Does what the script says; whether the connection goes on.
fn answer(mut connection: &TcpStream, step: Step) -> io::Result<bool> {
    match step {
        Step::Json(json) => respond(connection, 200, "", &json.to_string()),
        Step::Body(body) => respond(connection, 200, "", &body),
        Step::Refuse {
            status,
            retry_after,
            message,
        } => {
            let after = retry_after
                .map(|seconds| format!("retry-after: {seconds}\r\n"))
                .unwrap_or_default();
            let body = json!({"error": {"message": message}}).to_string();
            respond(connection, status, &after, &body)
        }
        Step::Redirect { status, to } => {
            respond(connection, status, &format!("location: {to}\r\n"), "")
        }
        Step::Stream { pieces, whole } => {
            stream(connection, &pieces)?;
            if whole {
                let usage =
                    json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
                write!(connection, "data: {usage}\n\ndata: [DONE]\n\n")?;
            }
            Ok(false)
        }
        Step::Stalls(pieces) => {
            stream(connection, &pieces)?;
            until_it_leaves(connection)
        }
        Step::Drips(pause, json) => {
            let body = json.to_string();
            write!(
                connection,
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                body.len()
            )?;
            for byte in body.bytes() {
                thread::sleep(pause);
                connection.write_all(&[byte])?;
            }
            Ok(true)
        }
        Step::After(time, step) => {
            thread::sleep(time);
            answer(connection, *step)
        }
        Step::Half => {
            connection.write_all(HALF)?;
            Ok(false)
        }
        Step::HalfClosed => {
            connection.write_all(HALF)?;
            connection.shutdown(Shutdown::Write)?;
            until_it_leaves(connection)
        }
        Step::Nothing => Ok(false),
    }
}

/// Begins a reply in pieces, and says these.
fn stream(mut connection: &TcpStream, pieces: &[String]) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    connection.write_all(head.as_bytes())?;
    for piece in pieces {
        let piece = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
        write!(connection, "data: {piece}\n\n")?;
    }
    Ok(())
}

/// Says nothing any more and keeps the connection until the client ends it.
fn until_it_leaves(mut connection: &TcpStream) -> io::Result<bool> {
    io::copy(&mut connection, &mut io::sink())?;
    Ok(false)
}

fn respond(mut connection: &TcpStream, status: u16, headers: &str, body: &str) -> io::Result<bool> {
    write!(
        connection,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(true)
}
