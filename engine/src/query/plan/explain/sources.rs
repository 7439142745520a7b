//! How it is shown where rows come from: scans of nodes and relationships, lookups, and searches.

use super::Shown;
use crate::query::expr::{Expr, Slot};
use crate::query::plan::{IndexName, ScanBy, Search, SearchKind, Seek};
use std::sync::Arc;

impl Shown<'_> {
    pub(super) fn search(&self, search: &Search) -> String {
        let kind = match search.kind {
            SearchKind::Vector => "VectorSearch",
            SearchKind::Fulltext => "FulltextSearch",
        };
        let index = match &search.index {
            IndexName::Known(name, _) => Arc::clone(name),
            IndexName::Parameter(number, _) => {
                let name = self.plan.parameters.get(*number as usize);
                format!("${}", name.map_or("", |needed| &needed.name)).into()
            }
        };
        let (query, limit) = (self.expr(&search.query), self.expr(&search.limit));
        let exact = if search.exact { " EXACT" } else { "" };
        let score = search.score.map(|score| self.name(score));
        let score = score.map_or(String::new(), |score| format!(" SCORE AS {score}"));
        let known = if search.must_be.is_some() {
            " known"
        } else {
            ""
        };
        let into = self.name(search.into);
        let most = search.most.iter().map(|most| self.expr(most));
        let most = match most.collect::<Vec<_>>().join(" + ") {
            most if most.is_empty() => most,
            most => format!(" at most {most}"),
        };
        format!("{kind} {index} FOR {query} LIMIT {limit}{exact}{score} ({into}{known}){most}")
    }

    pub(super) fn scan(&self, into: Slot, by: &ScanBy, of: &str) -> String {
        let into = self.name(into);
        match by {
            ScanBy::All => format!("All{of}s ({into})"),
            ScanBy::Label(label) if of == "Node" => format!("NodesByLabel ({into}:{label})"),
            ScanBy::Label(name) => format!("RelationshipsByType ({into}:{name})"),
            ScanBy::Level { hierarchy, level } => {
                format!("NodesOfLevel ({into}) {hierarchy} {}", self.expr(level))
            }
            ScanBy::Id { id, .. } => format!("{of}ById ({into}) {}", self.expr(id)),
            ScanBy::Entity { value, one_of } => {
                let sign = if *one_of { "IN" } else { "=" };
                format!("Given{of} ({into}) {sign} {}", self.expr(value))
            }
            ScanBy::Index { index, seek, .. } => {
                let seek = match seek {
                    Seek::Equal(values) => {
                        let values: Vec<String> =
                            values.iter().map(|value| self.expr(value)).collect();
                        format!("= {}", values.join(", "))
                    }
                    Seek::AnyOf(list) => format!("IN {}", self.expr(list)),
                    Seek::StartsWith(prefix) => format!("STARTS WITH {}", self.expr(prefix)),
                    Seek::Range { above, below } => {
                        let side = |bound: &Option<(Expr, bool)>, sign: &str| {
                            bound.as_ref().map(|(bound, counts)| {
                                let equal = if *counts { "=" } else { "" };
                                format!("{sign}{equal} {}", self.expr(bound))
                            })
                        };
                        let sides = [side(above, ">"), side(below, "<")];
                        sides
                            .into_iter()
                            .flatten()
                            .collect::<Vec<_>>()
                            .join(" AND ")
                    }
                };
                format!("IndexSeek ({into}) {index} {seek}")
            }
        }
    }
}
