//! Statements of templates, where bytes make each choice: most of them bind, and many run.
//!
//! What is in scope is known, so that variables are mostly there and of the kind that is needed. Names say the kind:
//! `n0` is a node, `r1` a relationship, `p2` a path, `v3` any value.
//!
//! Next: `templates.rs`.

use crate::graph::callables;
use crate::retrieval::RETRIEVAL;
use crate::templates::TEMPLATES;

/// After so many symbols only the first text of each is taken,
const SYMBOLS: usize = 150;
/// and within so many others: what is nested deeply is mostly wrong somewhere.
const DEPTH: usize = 8;

/// A statement that the bytes choose.
pub fn statement(bytes: &[u8]) -> String {
    let mut dice = Dice {
        bytes: bytes.iter(),
        symbols: 0,
        depth: 0,
        made: 0,
        scope: Vec::new(),
        outside: Vec::new(),
        last: String::new(),
        text: String::new(),
    };
    dice.write("@statement");
    dice.text
}

struct Dice<'b> {
    bytes: std::slice::Iter<'b, u8>,
    /// How many were replaced.
    symbols: usize,
    /// Within how many this one is.
    depth: usize,
    /// How many variables there were.
    made: usize,
    /// The variables that can be named here.
    scope: Vec<String>,
    /// The scopes around this one.
    outside: Vec<Vec<String>>,
    /// The variable that was made last.
    last: String,
    text: String,
}

impl Dice<'_> {
    /// A number below `most`: 0 once there are no bytes any more, or enough was said.
    fn roll(&mut self, most: usize) -> usize {
        if most == 0 || self.symbols > SYMBOLS || self.depth > DEPTH {
            return 0;
        }
        usize::from(self.bytes.next().copied().unwrap_or(0)) % most
    }

    fn write(&mut self, template: &str) {
        let mut parts = template.split('@');
        self.text.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let named = |c: char| c.is_ascii_lowercase() || c == '_';
            let end = part.find(|c| !named(c)).unwrap_or(part.len());
            self.symbol(&part[..end]);
            self.text.push_str(&part[end..]);
        }
    }

    fn symbol(&mut self, symbol: &str) {
        self.symbols += 1;
        match symbol {
            "new_node" => self.make('n'),
            "new_rel" => self.make('r'),
            "new_path" => self.make('p'),
            "new_value" => self.make('v'),
            "node" => self.name('n'),
            "rel" => self.name('r'),
            "path" => self.name('p'),
            "end" => self.again('n'),
            "along" => self.again('r'),
            "value" => self.name('v'),
            "keep" => self.scope.push(self.last.clone()),
            "open" => self.outside.push(self.scope.clone()),
            "close" => self.scope = self.outside.pop().unwrap_or_default(),
            "clear" => self.scope.clear(),
            "seen" => self.seen(),
            "narrow" => self.narrow(),
            "example" => {
                let (examples, _) = callables();
                let at = self.roll(examples.len());
                self.text.push_str(&examples[at]);
            }
            "function" => self.function(),
            _ => {
                let mut known = TEMPLATES.iter().chain(RETRIEVAL);
                let known = known.find(|(name, _)| *name == symbol);
                let (_, texts) = known.unwrap_or_else(|| panic!("@{symbol} is no symbol"));
                let at = self.roll(texts.len());
                self.depth += 1;
                self.write(texts[at]);
                self.depth -= 1;
            }
        }
    }

    /// A variable that was not there.
    fn make(&mut self, kind: char) {
        self.last = format!("{kind}{}", self.made);
        self.made += 1;
        self.text.push_str(&self.last);
        self.scope.push(self.last.clone());
    }

    /// A variable of a kind in a pattern, which may do without.
    fn again(&mut self, kind: char) {
        if self.scope.iter().any(|name| name.starts_with(kind)) {
            self.name(kind);
        }
    }

    /// A variable of a kind; if there is none, one of another kind, or null.
    fn name(&mut self, kind: char) {
        let of_kind = |name: &&String| name.starts_with(kind);
        let known = self.scope.iter().filter(of_kind).count();
        if known == 0 {
            let other = self.roll(self.scope.len());
            let name = self.scope.get(other).map_or("null", |name| name);
            self.text.push_str(name);
            return;
        }
        // The last byte's choice, 0, is the newest.
        let at = known - 1 - self.roll(known);
        if let Some(name) = self.scope.iter().filter(of_kind).nth(at) {
            self.text.push_str(name);
        }
    }

    /// Some of the variables, and a scope of only those.
    fn seen(&mut self) {
        self.outside.push(self.scope.clone());
        let scope = std::mem::take(&mut self.scope);
        for name in scope {
            if self.roll(3) > 0 {
                self.scope.push(name);
            }
        }
        self.text.push_str(&self.scope.join(", "));
    }

    /// The items of a WITH that drops variables, with an aggregate or something computed.
    fn narrow(&mut self) {
        let scope = std::mem::take(&mut self.scope);
        let mut kept = Vec::new();
        for name in scope {
            self.scope.push(name.clone());
            if self.roll(2) == 0 {
                self.text.push_str(&name);
                self.text.push_str(", ");
                kept.push(name);
            }
        }
        self.write("@item AS ");
        self.scope = kept;
        self.make('v');
    }

    /// A call of any function with any arguments.
    fn function(&mut self) {
        let (_, names) = callables();
        let at = self.roll(names.len());
        self.text.push_str(&names[at]);
        let arguments = [
            "(@expr)",
            "(@text)",
            "(@list)",
            "(@number)",
            "(@any, @expr)",
            "(@text, @int)",
            "(@text, @text, @int)",
            "()",
        ];
        let at = self.roll(arguments.len());
        self.write(arguments[at]);
    }
}
