//! `grammar.ebnf` beside the parser: it takes every sentence of the grammar, and both know the same keywords.

use super::assert_round_trip;
use crate::lex::{Keyword, TokenKind, lex};
use crate::parse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const GRAMMAR: &str = include_str!("../../grammar.ebnf");

/// What a production says.
#[derive(Clone, Debug)]
enum Rule {
    Choice(Vec<Rule>),
    Sequence(Vec<Rule>),
    Optional(Box<Rule>),
    Repeated(Box<Rule>),
    Keyword(String),
    Symbol(String),
    Token(String),
    Name(String),
}

/// Reads the notation of the grammar.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix("(*") {
                Some(comment) => {
                    let end = comment.find("*)").expect("a comment ends");
                    self.rest = &comment[end + 2..];
                }
                None => return,
            }
        }
    }

    fn accept(&mut self, symbol: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, end: char) -> String {
        let (text, rest) = self.rest.split_once(end).expect("a quote ends");
        self.rest = rest;
        text.to_owned()
    }

    fn name(&mut self) -> String {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_lowercase() && c != ' ' && c != '\n')
            .unwrap_or(self.rest.len());
        let name = self.rest[..end].trim().to_owned();
        assert!(!name.is_empty(), "a name at {:?}", &self.rest[..20]);
        self.rest = &self.rest[end..];
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn productions(&mut self) -> BTreeMap<String, Rule> {
        let mut productions = BTreeMap::new();
        loop {
            self.skip();
            if self.rest.is_empty() {
                return productions;
            }
            let name = self.name();
            assert!(self.accept('='), "= after {name}");
            let rule = self.choice(&BTreeSet::new());
            assert!(self.accept(';'), "; after {name} at {:?}", self.rest);
            assert!(
                productions.insert(name.clone(), rule).is_none(),
                "{name} twice"
            );
        }
    }

    fn choice(&mut self, names: &BTreeSet<String>) -> Rule {
        let mut choices = vec![self.sequence(names)];
        while self.accept('|') {
            choices.push(self.sequence(names));
        }
        if choices.len() == 1 {
            choices.remove(0)
        } else {
            Rule::Choice(choices)
        }
    }

    fn sequence(&mut self, names: &BTreeSet<String>) -> Rule {
        let mut parts = Vec::new();
        loop {
            self.skip();
            let Some(first) = self.rest.chars().next() else {
                break;
            };
            if matches!(first, '|' | ';' | ')' | ']' | '}') {
                break;
            }
            parts.push(if self.accept('[') {
                let inner = self.choice(names);
                assert!(self.accept(']'));
                Rule::Optional(Box::new(inner))
            } else if self.accept('{') {
                let inner = self.choice(names);
                assert!(self.accept('}'));
                Rule::Repeated(Box::new(inner))
            } else if self.accept('(') {
                let inner = self.choice(names);
                assert!(self.accept(')'));
                inner
            } else if self.accept('"') {
                Rule::Keyword(self.until('"'))
            } else if self.accept('\'') {
                Rule::Symbol(self.until('\''))
            } else if self.accept('?') {
                Rule::Token(self.until('?').trim().to_owned())
            } else {
                Rule::Name(self.name())
            });
        }
        Rule::Sequence(parts)
    }
}

/// Names of several words stand next to each other without a mark between: cuts them by what is defined.
fn cut(rule: Rule, names: &BTreeSet<String>) -> Rule {
    let all = |rules: Vec<Rule>| rules.into_iter().map(|rule| cut(rule, names)).collect();
    match rule {
        Rule::Choice(rules) => Rule::Choice(all(rules)),
        Rule::Sequence(rules) => Rule::Sequence(all(rules)),
        Rule::Optional(rule) => Rule::Optional(Box::new(cut(*rule, names))),
        Rule::Repeated(rule) => Rule::Repeated(Box::new(cut(*rule, names))),
        Rule::Name(name) => {
            let words: Vec<&str> = name.split(' ').collect();
            let mut parts = Vec::new();
            let mut at = 0;
            while at < words.len() {
                let length = (1..=words.len() - at)
                    .rev()
                    .find(|length| names.contains(&words[at..at + length].join(" ")))
                    .unwrap_or_else(|| panic!("{name} is not defined"));
                parts.push(Rule::Name(words[at..at + length].join(" ")));
                at += length;
            }
            Rule::Sequence(parts)
        }
        other => other,
    }
}

fn grammar() -> BTreeMap<String, Rule> {
    let productions = Reader { rest: GRAMMAR }.productions();
    let names: BTreeSet<String> = productions.keys().cloned().collect();
    productions
        .into_iter()
        .map(|(name, rule)| (name, cut(rule, &names)))
        .collect()
}

/// Makes sentences.
struct Speaker<'g> {
    grammar: &'g BTreeMap<String, Rule>,
    random: fastrand::Rng,
    /// How many more productions it may go into before it takes the shortest way.
    budget: usize,
    /// How far each production is from an end.
    heights: BTreeMap<String, usize>,
    said: String,
    /// Productions, and keywords.
    used: BTreeSet<String>,
}

impl<'g> Speaker<'g> {
    fn new(grammar: &'g BTreeMap<String, Rule>, seed: u64) -> Self {
        let mut heights: BTreeMap<String, usize> = BTreeMap::new();
        loop {
            let mut changed = false;
            for (name, rule) in grammar {
                if let Some(height) = height(rule, &heights)
                    && heights.get(name).is_none_or(|old| *old > height + 1)
                {
                    heights.insert(name.clone(), height + 1);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        assert_eq!(heights.len(), grammar.len(), "a production has no end");
        Self {
            grammar,
            random: fastrand::Rng::with_seed(seed),
            budget: 0,
            heights,
            said: String::new(),
            used: BTreeSet::new(),
        }
    }

    fn sentence(&mut self) -> String {
        self.said.clear();
        self.budget = self.random.usize(10..200);
        self.say(&Rule::Name("statement".to_owned()));
        self.said.clone()
    }

    fn say(&mut self, rule: &Rule) {
        let short = self.budget == 0;
        match rule {
            Rule::Choice(rules) => {
                let chosen = if short {
                    rules
                        .iter()
                        .min_by_key(|rule| height(rule, &self.heights))
                        .expect("a choice has rules")
                } else {
                    &rules[self.random.usize(..rules.len())]
                };
                self.say(chosen);
            }
            Rule::Sequence(rules) => {
                for (said, rule) in rules.iter().enumerate() {
                    // Else the first expression of a long clause would leave nothing to the rest of it.
                    let kept = self.budget.min(2 * (rules.len() - 1 - said));
                    self.budget -= kept;
                    self.say(rule);
                    self.budget += kept;
                }
            }
            Rule::Optional(rule) => {
                if !short && self.random.bool() {
                    self.say(rule);
                }
            }
            Rule::Repeated(rule) => {
                while self.budget > 0 && self.random.u8(..3) == 0 {
                    self.say(rule);
                }
            }
            Rule::Keyword(word) => {
                self.used.insert(word.clone());
                let word = if self.random.u8(..4) == 0 {
                    word.to_lowercase()
                } else {
                    word.clone()
                };
                self.word(&word);
            }
            Rule::Symbol(symbol) => self.word(symbol),
            Rule::Token(token) => {
                let token = self.token(token);
                self.word(&token);
            }
            Rule::Name(name) => {
                self.budget = self.budget.saturating_sub(1);
                self.used.insert(name.clone());
                let grammar = self.grammar;
                self.say(&grammar[name]);
            }
        }
    }

    /// Words stand apart, as `1` and `..` or `$` and `(` need; sometimes a comment is between.
    fn word(&mut self, word: &str) {
        let between = match self.random.u8(..40) {
            0 => " /* ; */ ",
            1 => " // '\n",
            2 => "\n\t",
            _ => " ",
        };
        // A parameter is one token, its `$` has nothing between.
        let glued = self.said.ends_with('$') && word == "(";
        if !glued {
            self.said.push_str(between);
        }
        let _ = write!(self.said, "{word}");
    }

    /// An expression that begins with nothing of this.
    fn expression_without(&mut self, beginnings: &[TokenKind]) -> String {
        let before = std::mem::take(&mut self.said);
        loop {
            self.say(&Rule::Name("expression".to_owned()));
            let said = std::mem::take(&mut self.said);
            if !beginnings.contains(&lex(&said)[0].kind) {
                self.said = before;
                return said;
            }
        }
    }

    fn token(&mut self, token: &str) -> String {
        let choices: &[&str] = match token {
            "integer" => &[
                "0",
                "1",
                "42",
                "007",
                "1_000",
                "0xFf",
                "0o17",
                "9223372036854775807",
            ],
            "count" => &["0", "1", "3", "12"],
            "float" => &["1.5", ".5", "1e3", "2.5E-3", "1.0f", "3.d", "1_0.5"],
            "string" => &[
                "''",
                "'a'",
                "\"b\"",
                "'it''s'",
                "'\\u00e9\\n\\\\'",
                "'名'",
                "\";\"",
            ],
            "parameter" => &["$p", "$1", "$`a b`", "$match"],
            "plain name" => &["a", "n", "foo", "_x", "名字", "éa", "x1"],
            "declared variable" => &["v"],
            "open expression" => return self.expression_without(&[TokenKind::OpenParenthesis]),
            "bare expression" => {
                return self.expression_without(&[
                    TokenKind::OpenParenthesis,
                    TokenKind::OpenBracket,
                    TokenKind::OpenBrace,
                    TokenKind::Minus,
                    TokenKind::Plus,
                ]);
            }
            "quoted name" => &["`a`", "`a b`", "`x``y`", "`match`"],
            "type" => &[
                "INTEGER",
                "ZONED DATETIME",
                "LIST<STRING NOT NULL>",
                "STRING | FLOAT",
            ],
            "any name" => {
                if self.random.bool() {
                    let keyword = Keyword::ALL[self.random.usize(..Keyword::ALL.len())];
                    return keyword.text().to_owned();
                }
                &["a", "b", "name"]
            }
            _ => panic!("no token is called {token}"),
        };
        choices[self.random.usize(..choices.len())].to_owned()
    }
}

/// How far the nearest end is.
fn height(rule: &Rule, heights: &BTreeMap<String, usize>) -> Option<usize> {
    match rule {
        Rule::Choice(rules) => rules.iter().filter_map(|rule| height(rule, heights)).min(),
        Rule::Sequence(rules) => {
            let mut highest = 0;
            for rule in rules {
                highest = highest.max(height(rule, heights)?);
            }
            Some(highest)
        }
        Rule::Name(name) => heights.get(name).copied(),
        _ => Some(0),
    }
}

fn keywords(rule: &Rule, into: &mut BTreeSet<String>) {
    match rule {
        Rule::Choice(rules) | Rule::Sequence(rules) => {
            rules.iter().for_each(|rule| keywords(rule, into));
        }
        Rule::Optional(rule) | Rule::Repeated(rule) => keywords(rule, into),
        Rule::Keyword(word) => {
            into.insert(word.clone());
        }
        Rule::Symbol(_) | Rule::Token(_) | Rule::Name(_) => {}
    }
}

#[test]
fn the_parser_takes_every_sentence_of_the_grammar() {
    let grammar = grammar();
    let mut used = BTreeSet::new();
    for seed in 0..1500 {
        let mut speaker = Speaker::new(&grammar, seed);
        let sentence = speaker.sentence();
        if let Err(mistake) = parse(&sentence) {
            assert_eq!(
                mistake.kind,
                crate::ParseErrorKind::NestingTooDeep,
                "seed {seed}: {sentence}\n{mistake:?}\nat {}",
                mistake.span.of(&sentence)
            );
            continue;
        }
        assert_round_trip(&sentence);
        used.extend(speaker.used);
    }
    let mut all: BTreeSet<String> = BTreeSet::new();
    for (name, rule) in grammar {
        all.insert(name);
        keywords(&rule, &mut all);
    }
    let unused: Vec<&String> = all.difference(&used).collect();
    assert!(unused.is_empty(), "no sentence used {unused:?}");
}

#[test]
fn both_know_the_same_keywords() {
    // In comments too: some are known only to be refused.
    let named: BTreeSet<&str> = GRAMMAR
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| *word != "WORD")
        .collect();
    let known: BTreeSet<&str> = Keyword::ALL.iter().map(|keyword| keyword.text()).collect();
    assert_eq!(named, known);
}

#[test]
fn a_sentence_with_a_word_too_many_or_too_few_never_panics() {
    let grammar = grammar();
    for seed in 0..300 {
        let sentence = Speaker::new(&grammar, seed).sentence();
        let mut random = fastrand::Rng::with_seed(seed);
        let tokens = lex(&sentence);
        for _ in 0..5 {
            let token = tokens[random.usize(..tokens.len())];
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let other = tokens[random.usize(..tokens.len())].span.of(&sentence);
            for text in [
                format!("{}{}", &sentence[..start], &sentence[end..]),
                format!("{}{other}{}", &sentence[..start], &sentence[end..]),
                format!("{} {other} {}", &sentence[..start], &sentence[start..]),
                sentence[..end].to_owned(),
            ] {
                match parse(&text) {
                    Ok(_) => assert_round_trip(&text),
                    Err(mistake) => {
                        assert!(mistake.span.start <= mistake.span.end, "{text}");
                        assert!(
                            text.get(mistake.span.start as usize..mistake.span.end as usize)
                                .is_some()
                        );
                    }
                }
            }
        }
        assert_eq!(tokens.last().map(|last| last.kind), Some(TokenKind::End));
    }
}
