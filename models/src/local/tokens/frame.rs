//! What a model wants around a text, or around two: tokens before, between and behind, and for each token which of
//! the two it belongs to.

use serde::Deserialize;

/// How `tokenizer.json` says it.
#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum PostProcessor {
    TemplateProcessing {
        single: Vec<Piece>,
        #[serde(default)]
        pair: Vec<Piece>,
    },
    BertProcessing {
        sep: (String, u32),
        cls: (String, u32),
    },
    RobertaProcessing {
        sep: (String, u32),
        cls: (String, u32),
    },
    /// Concerns the places of tokens only.
    ByteLevel {},
    Sequence {
        processors: Vec<PostProcessor>,
    },
}

/// A piece of a template.
#[derive(Clone, Deserialize)]
pub(super) enum Piece {
    SpecialToken {
        id: String,
        #[serde(default)]
        type_id: u32,
    },
    Sequence {
        id: Which,
        #[serde(default)]
        type_id: u32,
    },
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
pub(super) enum Which {
    A,
    B,
}

impl PostProcessor {
    /// The templates for one text and for two, if there are any. The inner `None` stands for a template that is
    /// none: a second one.
    pub(super) fn templates(self) -> Option<(Vec<Piece>, Vec<Piece>)> {
        let token = |id: &str, type_id| Piece::SpecialToken {
            id: id.to_owned(),
            type_id,
        };
        let text = |id, type_id| Piece::Sequence { id, type_id };
        match self {
            Self::TemplateProcessing { single, pair } => Some((single, pair)),
            Self::BertProcessing { sep, cls } => {
                let (cls, sep) = (&cls.0, &sep.0);
                let single = vec![token(cls, 0), text(Which::A, 0), token(sep, 0)];
                let mut pair = single.clone();
                pair.extend([text(Which::B, 1), token(sep, 1)]);
                Some((single, pair))
            }
            Self::RobertaProcessing { sep, cls } => {
                let (cls, sep) = (&cls.0, &sep.0);
                let single = vec![token(cls, 0), text(Which::A, 0), token(sep, 0)];
                let mut pair = single.clone();
                pair.extend([token(sep, 0), text(Which::B, 0), token(sep, 0)]);
                Some((single, pair))
            }
            Self::ByteLevel {} => None,
            Self::Sequence { processors } => processors.into_iter().find_map(Self::templates),
        }
    }
}

/// What stands around a text, or around two.
#[derive(Debug)]
pub(crate) struct Frame {
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    Token { id: u32, kind: u32 },
    Text { kind: u32 },
}

/// Ids in their frame, and the kind of each unless all are of the first kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Framed {
    pub(crate) ids: Vec<u32>,
    pub(crate) kinds: Option<Vec<u32>>,
}

impl Frame {
    /// A template with its tokens looked up, if it has just these texts in this order.
    pub(super) fn new(
        pieces: &[Piece],
        texts: &[Which],
        id: impl Fn(&str) -> Option<u32>,
    ) -> Result<Self, String> {
        let mut found = Vec::new();
        let part = |piece: &Piece| match piece {
            Piece::SpecialToken { id: token, type_id } => {
                let id = id(token).ok_or(format!("{token:.80} is not in the vocabulary"))?;
                Ok(Part::Token { id, kind: *type_id })
            }
            Piece::Sequence { id, type_id } => {
                found.push(*id);
                Ok(Part::Text { kind: *type_id })
            }
        };
        let parts = pieces
            .iter()
            .map(part)
            .collect::<Result<Vec<_>, String>>()?;
        if found != texts || parts.len() > 16 {
            return Err(format!(
                "a template of {} pieces with {} texts, not {}",
                parts.len(),
                found.len(),
                texts.len()
            ));
        }
        Ok(Self { parts })
    }

    /// How many tokens it puts before the first text.
    pub(super) fn before(&self) -> usize {
        let tokens = self.parts.iter();
        let tokens = tokens.take_while(|part| matches!(part, Part::Token { .. }));
        tokens.count()
    }

    /// How many tokens it adds.
    pub(super) fn length(&self) -> usize {
        let tokens = |part: &&Part| matches!(part, Part::Token { .. });
        self.parts.iter().filter(tokens).count()
    }

    /// The largest kind that it names.
    pub(super) fn largest_kind(&self) -> u32 {
        let kinds = self.parts.iter().map(|part| match part {
            Part::Token { kind, .. } | Part::Text { kind } => *kind,
        });
        kinds.max().unwrap_or(0)
    }

    pub(super) fn around(&self, texts: &[&[u32]]) -> Framed {
        let mut texts = texts.iter();
        let (mut ids, mut kinds) = (Vec::new(), Vec::new());
        for part in &self.parts {
            let kind = match part {
                Part::Token { id, kind } => {
                    ids.push(*id);
                    *kind
                }
                Part::Text { kind } => {
                    ids.extend(texts.next().copied().unwrap_or_default());
                    *kind
                }
            };
            kinds.resize(ids.len(), kind);
        }
        let kinds = (self.largest_kind() > 0).then_some(kinds);
        Framed { ids, kinds }
    }
}
