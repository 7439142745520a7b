//! What operators hand on: lists of items, each with a score that says what it is, and the way that led to it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;

/// Something of the graph that may answer a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub entity: Entity,
    /// How good it is held to be.
    pub score: Score,
    /// How it was come to, from what a search has found; nothing for what a search has found itself.
    pub way: Vec<Step>,
}

impl Item {
    /// What a search has found.
    #[must_use]
    pub fn found(entity: impl Into<Entity>, score: Score) -> Self {
        Self {
            entity: entity.into(),
            score,
            way: Vec::new(),
        }
    }

    /// What lies one step from this, with the same score.
    #[must_use]
    pub fn step(&self, by: impl Into<Cow<'static, str>>, to: impl Into<Entity>) -> Self {
        let mut way = self.way.clone();
        let from = self.entity;
        way.push(Step {
            from,
            by: by.into(),
        });
        Self {
            entity: to.into(),
            score: self.score,
            way,
        }
    }
}

/// A step of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// From where.
    pub from: Entity,
    /// Along what: a type of relationships, `parent`, or the declared query in whose row both stand.
    pub by: Cow<'static, str>,
}

/// How good something is. Numbers of different scales must not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The number: more is better.
    pub value: f32,
    /// Of which scale.
    pub scale: Scale,
}

/// What a score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scale {
    /// The cosine of two vectors, from -1 to 1.
    Cosine,
    /// BM25, from 0 without an upper end; comparable within one search.
    Bm25,
    /// The sum of reciprocal ranks.
    ReciprocalRank,
    /// The sum of scores that were brought to 0 and 1 list by list.
    Weighted,
    /// The share of visits of a walk that begins anew at what the question names.
    Visits,
    /// The share of an entity's name in the words of the question.
    Named,
    /// What a reranker says, from 0 to 1.
    Judged,
    /// How well a declared query fits the question: its similarity, and what it takes of what the question names;
    /// comparable within one question. 1 where a model has chosen it.
    Routed,
}

impl Scale {
    /// A score of this scale.
    #[must_use]
    pub fn score(self, value: f32) -> Score {
        Score { value, scale: self }
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Cosine,
        Self::Bm25,
        Self::ReciprocalRank,
        Self::Weighted,
        Self::Visits,
        Self::Named,
        Self::Judged,
        Self::Routed,
    ];

    /// The scale of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scale| scale.name() == name)
    }

    /// Its name, as it is written in presets and traces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Bm25 => "bm25",
            Self::ReciprocalRank => "reciprocal_rank",
            Self::Weighted => "weighted",
            Self::Visits => "visits",
            Self::Named => "named",
            Self::Judged => "judged",
            Self::Routed => "routed",
        }
    }
}
