//! What an index may find: the conditions of a search, turned into operators that find what fulfils them.
//!
//! They are planned as a pattern of one node, or of one relationship, so that ids, labels and property indexes
//! are used. The index is then asked for the best among what was found, whatever the conditions are.
//!
//! Next: `explain.rs`.

use super::{BoundClause, BoundSearch, LinkKind, Op, Pattern, Planner, Rule};
use crate::query::expr::{Body, Expr, ExprKind, Slot, SubqueryKind};

impl Planner<'_> {
    /// The operator of a search.
    pub(super) fn search(&self, bound: BoundSearch) -> Op {
        let BoundSearch {
            mut search,
            filters,
        } = bound;
        let candidate = search.into;
        let mut pattern = Pattern {
            filters,
            ..Pattern::default()
        };
        match search.relationships {
            true => pattern.loose.push(candidate),
            false => pattern.nodes.push(candidate),
        }
        let has_conditions = !pattern.filters.is_empty();
        if !search.relationships && self.follows(Rule::WalkToWhatIsSearched) {
            join(&mut pattern, candidate);
        }
        search.among_depends_on = depends_on(&[], &pattern);
        search.depends_on = depends_on(&[&search.query, &search.limit], &pattern);
        search.query = self.expr(search.query);
        search.limit = self.expr(search.limit);
        search.among = has_conditions.then(|| self.matching(pattern).into());
        Op::Search(Box::new(search))
    }
}

/// Makes one condition that is a pattern a part of the pattern itself. That it may be found in several ways makes
/// no difference, since only a set is made of it; but of two patterns each may walk over the same relationship.
fn join(pattern: &mut Pattern, candidate: Slot) {
    // What may fail, or differs each time, is asked of each candidate as it is written.
    let calm = |filter: &Expr| filter.is_steady() && !filter.may_fail();
    let of = |filter: &Expr| {
        joinable(filter, candidate).is_some_and(|pattern| pattern.filters.iter().all(calm))
    };
    let Some(at) = pattern.filters.iter().position(of) else {
        return;
    };
    let filter = pattern.filters.remove(at);
    let Some(other) = joinable(&filter, candidate).cloned() else {
        return;
    };
    let others = other.nodes.into_iter().filter(|node| *node != candidate);
    pattern.nodes.extend(others);
    let given = other.given.into_iter().filter(|node| *node != candidate);
    pattern.given.extend(given);
    pattern.links.extend(other.links);
    pattern.paths.extend(other.paths);
    // A candidate is never null.
    let is_there = |filter: &Expr| {
        matches!(&filter.kind, ExprKind::IsNull { of, negated: true }
            if of.is_slot(candidate))
    };
    let filters = other.filters.into_iter();
    pattern
        .filters
        .extend(filters.filter(|filter| !is_there(filter)));
}

/// The pattern of a condition, if walking it costs no more than asking each candidate for it: one link, or plain
/// links that begin at a node that is known.
fn joinable(filter: &Expr, candidate: Slot) -> Option<&Pattern> {
    let ExprKind::Subquery {
        kind: SubqueryKind::Exists,
        body: Body::Bound(body),
    } = &filter.kind
    else {
        return None;
    };
    let [arm] = body.query.arms.as_slice() else {
        return None;
    };
    let [BoundClause::Match(matched)] = arm.clauses.as_slice() else {
        return None;
    };
    let pattern = &matched.pattern;
    let is_plain = |kind: &LinkKind| matches!(kind, LinkKind::One { bound: false, .. });
    let all_plain = pattern.links.iter().all(|link| is_plain(&link.kind));
    let begins = pattern.given.iter().any(|given| *given != candidate);
    let connected = match pattern.links.as_slice() {
        [] => pattern.nodes.len() == 1,
        [link] => pattern
            .nodes
            .iter()
            .all(|node| *node == link.from || *node == link.to),
        _ => begins,
    };
    let whole = !matched.optional && pattern.search.is_none();
    (whole && all_plain && connected && pattern.nodes.contains(&candidate)).then_some(pattern)
}

/// The slots from around that some expressions and a pattern read; none if the same row may give something else the
/// next time.
fn depends_on(exprs: &[&Expr], pattern: &Pattern) -> Option<Vec<Slot>> {
    if !exprs.iter().all(|expr| expr.is_steady()) || !pattern.filters.iter().all(Expr::is_steady) {
        return None;
    }
    let mut own: Vec<Slot> = { pattern.nodes.iter() }
        .chain(&pattern.loose)
        .filter(|node| !pattern.given.contains(node))
        .copied()
        .collect();
    own.extend(pattern.links.iter().flat_map(|link| &link.relationships));
    own.extend(pattern.paths.iter().map(|(slot, _)| *slot));
    let mut reads = pattern.given.clone();
    for expr in exprs {
        expr.each_slot(&mut |slot| reads.push(slot));
    }
    for filter in &pattern.filters {
        filter.each_slot(&mut |slot| reads.push(slot));
    }
    reads.retain(|slot| !own.contains(slot));
    reads.sort_unstable();
    reads.dedup();
    Some(reads)
}
