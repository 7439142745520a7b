//! What a page shows: runs of letters with their places and sizes, in the order in which they are drawn.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::Refused;
use super::font::Font;

/// Letters that are drawn one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// Where it begins and ends along its line.
    pub(super) start: f64,
    pub(super) end: f64,
    /// Where its line lies: larger is higher.
    pub(super) line: f64,
    /// The direction of its line, in whole degrees.
    pub(super) degrees: i32,
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) text: String,
}

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) runs: Vec<Run>,
    /// Whether there is a picture on it.
    pub(super) pictures: bool,
    /// Letters of which no table says what they are.
    pub(super) unknown: usize,
    pub(super) letters: usize,
}

/// What is left of the work that one document may cost.
#[derive(Debug)]
pub(super) struct Budget {
    operations: u64,
    bytes: usize,
    fonts: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            operations: 100_000_000,
            bytes: 1 << 30,
            fonts: 20_000,
        }
    }
}

/// The most bytes that one stream may unpack to.
const MOST_STREAM_BYTES: usize = 128 << 20;
/// The most forms within each other.
const DEEPEST: usize = 16;
/// The most states that a page saves.
const MOST_SAVED: usize = 1000;

/// Reads pages of one document, whose fonts it keeps.
pub(super) struct Pages<'d> {
    document: &'d Document,
    /// By where they lie in the document, which does not change.
    fonts: HashMap<usize, Rc<Font>>,
    budget: Budget,
}

/// A matrix `[a b c d e f]`.
type Matrix = [f64; 6];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// What is drawn with.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl<'d> Pages<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self {
            document,
            fonts: HashMap::new(),
            budget: Budget::default(),
        }
    }

    /// Reads a page.
    pub(super) fn read(&mut self, page: ObjectId) -> Result<Shown, Refused> {
        let document = self.document;
        let Ok(dictionary) = document.get_dictionary(page) else {
            return Err(Refused::broken("the page is missing"));
        };
        let mut content = Vec::new();
        for stream in streams(document, dictionary)? {
            content.extend(self.unpacked(stream)?);
            content.push(b'\n');
            if content.len() > MOST_STREAM_BYTES {
                return Err(Refused::too_much("what the page unpacks to"));
            }
        }
        let resources = inherited(document, dictionary, b"Resources");
        let resources = resources.and_then(|found| found.as_dict().ok());
        let turned = inherited(document, dictionary, b"Rotate");
        let turned = turned.and_then(|found| found.as_i64().ok()).unwrap_or(0);
        let mut drawing = Drawing {
            pages: self,
            shown: Shown::default(),
        };
        let state = State {
            matrix: turn(turned),
            font: None,
            size: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        drawing.draw(&content, resources, state, 0)?;
        Ok(drawing.shown)
    }

    fn unpacked(&mut self, stream: &Stream) -> Result<Vec<u8>, Refused> {
        let most = MOST_STREAM_BYTES.min(self.budget.bytes);
        let bytes = stream
            .get_plain_content_with_limit(most)
            .map_err(|error| match error {
                lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded {
                    ..
                }) => Refused::too_much("what the page unpacks to"),
                other => Refused::broken(&format!("its content cannot be unpacked: {other}")),
            })?;
        if bytes.is_empty() && !stream.content.trim_ascii().is_empty() {
            return Err(Refused::broken("its content cannot be unpacked"));
        }
        self.budget.bytes = self.budget.bytes.saturating_sub(bytes.len());
        Ok(bytes)
    }

    fn font(&mut self, dictionary: &Dictionary) -> Result<Rc<Font>, Refused> {
        let place = std::ptr::from_ref(dictionary).addr();
        if let Some(font) = self.fonts.get(&place) {
            return Ok(Rc::clone(font));
        }
        let left = self.budget.fonts.checked_sub(1);
        self.budget.fonts = left.ok_or_else(|| Refused::too_much("the number of fonts"))?;
        let font = Rc::new(Font::read(self.document, dictionary));
        self.fonts.insert(place, Rc::clone(&font));
        Ok(font)
    }
}

/// The streams of a page.
fn streams<'d>(document: &'d Document, page: &'d Dictionary) -> Result<Vec<&'d Stream>, Refused> {
    let stream = |object: &'d Object| match document.dereference(object) {
        Ok((_, Object::Stream(stream))) => Ok(stream),
        _ => Err(Refused::broken("its content is missing")),
    };
    match page.get_deref(b"Contents", document) {
        Ok(Object::Stream(stream)) => Ok(vec![stream]),
        Ok(Object::Array(all)) => all.iter().map(stream).collect(),
        // A page may be empty; one whose content is lost is not.
        _ if matches!(page.get(b"Contents"), Err(_) | Ok(Object::Null)) => Ok(Vec::new()),
        _ => Err(Refused::broken("its content is missing")),
    }
}

/// What a page has itself, or one of the nodes above it.
fn inherited<'d>(document: &'d Document, page: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
    let mut node = page;
    for _ in 0..256 {
        if let Ok(found) = node.get_deref(key, document) {
            return Some(found);
        }
        node = node.get_deref(b"Parent", document).ok()?.as_dict().ok()?;
    }
    None
}

/// How a page is turned before it is shown.
fn turn(degrees: i64) -> Matrix {
    match degrees.rem_euclid(360) {
        90 => [0.0, -1.0, 1.0, 0.0, 0.0, 0.0],
        180 => [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
        270 => [0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
        _ => IDENTITY,
    }
}

/// First this, then that.
fn then(first: &Matrix, second: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = *first;
    let [g, h, i, j, k, l] = *second;
    [
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + l,
    ]
}

/// An operand that is a number; 0 if it is none.
fn number(operands: &[Object], at: usize) -> f64 {
    let number = operands.get(at).and_then(|one| one.as_float().ok());
    number.map_or(0.0, f64::from)
}

/// A page that is being drawn.
struct Drawing<'p, 'd> {
    pages: &'p mut Pages<'d>,
    shown: Shown,
}

/// Where text stands.
struct Cursor {
    text: Matrix,
    line: Matrix,
}

impl<'d> Drawing<'_, 'd> {
    fn draw(
        &mut self,
        content: &[u8],
        resources: Option<&'d Dictionary>,
        mut state: State,
        depth: usize,
    ) -> Result<(), Refused> {
        let mut saved: Vec<State> = Vec::new();
        let mut at = Cursor {
            text: IDENTITY,
            line: IDENTITY,
        };
        for operation in Content::decode_iter(content) {
            let operation = operation
                .map_err(|error| Refused::broken(&format!("its content is broken: {error}")))?;
            let left = self.pages.budget.operations.checked_sub(1);
            self.pages.budget.operations =
                left.ok_or_else(|| Refused::too_much("what is drawn"))?;
            let Operation { operator, operands } = operation;
            let name = || operands.first().and_then(|name| name.as_name().ok());
            match operator.as_str() {
                "q" if saved.len() < MOST_SAVED => saved.push(state.clone()),
                "q" => return Err(Refused::too_much("what is saved")),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => {
                    let by = matrix(&|at| number(&operands, at));
                    state.matrix = then(&by, &state.matrix);
                }
                "Tf" => {
                    state.size = number(&operands, 1);
                    let font = name().and_then(|name| self.resource(resources, b"Font", name));
                    state.font = match font {
                        Some(Object::Dictionary(font)) => Some(self.pages.font(font)?),
                        _ => None,
                    };
                }
                "BI" => self.shown.pictures = true,
                "Do" => {
                    let object = name().and_then(|name| self.resource(resources, b"XObject", name));
                    if let Some(Object::Stream(stream)) = object {
                        self.object(stream, resources, &state, depth)?;
                    }
                }
                operator => self.text(operator, &operands, &mut state, &mut at),
            }
        }
        Ok(())
    }

    /// Does what is about text, and nothing for what is not: where it stands, how, and what it says.
    fn text(&mut self, operator: &str, operands: &[Object], state: &mut State, at: &mut Cursor) {
        let number = |at: usize| number(operands, at);
        match operator {
            "BT" => {
                at.text = IDENTITY;
                at.line = IDENTITY;
            }
            "Tc" => state.letter_space = number(0),
            "Tw" => state.word_space = number(0),
            "Tz" => state.stretch = number(0) / 100.0,
            "TL" => state.leading = number(0),
            "Ts" => state.rise = number(0),
            "Tm" => {
                at.line = matrix(&number);
                at.text = at.line;
            }
            "Td" => at.next_line(number(0), number(1)),
            "TD" => {
                state.leading = -number(1);
                at.next_line(number(0), number(1));
            }
            "T*" => at.next_line(0.0, -state.leading),
            "Tj" => self.show(state, at, operands),
            "'" => {
                at.next_line(0.0, -state.leading);
                self.show(state, at, operands);
            }
            "\"" => {
                state.word_space = number(0);
                state.letter_space = number(1);
                at.next_line(0.0, -state.leading);
                self.show(state, at, operands.get(2..).unwrap_or_default());
            }
            "TJ" => {
                if let Some(Object::Array(parts)) = operands.first() {
                    self.show(state, at, parts);
                }
            }
            _ => {}
        }
    }

    /// A picture, or a form: content of its own.
    fn object(
        &mut self,
        stream: &'d Stream,
        resources: Option<&'d Dictionary>,
        state: &State,
        depth: usize,
    ) -> Result<(), Refused> {
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        if kind.is_ok_and(|kind| kind == b"Image") {
            self.shown.pictures = true;
            return Ok(());
        }
        if depth >= DEEPEST {
            let why = "forms lie within each other without end";
            return Err(Refused::broken(why));
        }
        let document = self.pages.document;
        let own = stream.dict.get_deref(b"Resources", document);
        let own = own.and_then(Object::as_dict).ok().or(resources);
        let mut state = state.clone();
        if let Ok(Object::Array(numbers)) = stream.dict.get_deref(b"Matrix", document) {
            let number = |at: usize| {
                let number = numbers.get(at).and_then(|one| one.as_float().ok());
                number.map_or(IDENTITY[at], f64::from)
            };
            state.matrix = then(&matrix(&number), &state.matrix);
        }
        let content = self.pages.unpacked(stream)?;
        self.draw(&content, own, state, depth + 1)
    }

    fn resource(
        &self,
        resources: Option<&'d Dictionary>,
        kind: &[u8],
        name: &[u8],
    ) -> Option<&'d Object> {
        let document = self.pages.document;
        let all = resources?.get_deref(kind, document).ok()?.as_dict().ok()?;
        all.get_deref(name, document).ok()
    }

    /// Strings, with distances between them.
    fn show(&mut self, state: &State, at: &mut Cursor, parts: &[Object]) {
        let Some(font) = &state.font else {
            return;
        };
        for part in parts {
            match part {
                Object::String(bytes, _) => self.run(state, font, at, bytes),
                other => {
                    if let Ok(back) = other.as_float() {
                        let along = -f64::from(back) / 1000.0 * state.size * state.stretch;
                        at.text = then(&[1.0, 0.0, 0.0, 1.0, along, 0.0], &at.text);
                    }
                }
            }
        }
    }

    fn run(&mut self, state: &State, font: &Font, at: &mut Cursor, bytes: &[u8]) {
        let mut text = String::new();
        let mut along = 0.0;
        for letter in font.letters(bytes) {
            self.shown.letters += 1;
            match &letter.text {
                Some(letter) => text.extend(letter.chars().filter(|one| !one.is_control())),
                None => {
                    self.shown.unknown += 1;
                    text.push('\u{fffd}');
                }
            }
            let space = state.letter_space + if letter.blank { state.word_space } else { 0.0 };
            along += (letter.width * state.size + space) * state.stretch;
        }
        let here = then(&at.text, &state.matrix);
        at.text = then(&[1.0, 0.0, 0.0, 1.0, along, 0.0], &at.text);
        let [a, b, c, d, e, f] = here;
        let length = a.hypot(b);
        let size = state.size.abs() * c.hypot(d);
        let sound = [length, size, e, f, along]
            .iter()
            .all(|one| one.is_finite());
        if text.is_empty() || !sound || length == 0.0 || size == 0.0 {
            return;
        }
        let (across, up) = (a / length, b / length);
        let start = e * across + f * up;
        let run = Run {
            start,
            end: start + along * length,
            line: f * across - e * up + state.rise * c.hypot(d),
            degrees: up.atan2(across).to_degrees().round() as i32,
            size,
            bold: font.bold,
            text,
        };
        // Some make letters bold by drawing them twice.
        let again = self.shown.runs.last().is_some_and(|last| {
            last.text == run.text
                && (last.start - run.start).abs() < 0.2 * size
                && (last.line - run.line).abs() < 0.2 * size
        });
        if !again {
            self.shown.runs.push(run);
        }
    }
}

impl Cursor {
    fn next_line(&mut self, across: f64, up: f64) {
        self.line = then(&[1.0, 0.0, 0.0, 1.0, across, up], &self.line);
        self.text = self.line;
    }
}

fn matrix(number: &dyn Fn(usize) -> f64) -> Matrix {
    [
        number(0),
        number(1),
        number(2),
        number(3),
        number(4),
        number(5),
    ]
}
