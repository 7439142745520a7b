//! `WITH` and `RETURN`: groups, columns, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE, in this order.
//!
//! Columns that cannot fail and that nothing else here reads are computed last, for rows that are left.
//!
//! Next: `matching.rs`.

use super::barrier::Flow;
use super::{Aggregate, BoundProjection, Op, Planner, Rule, SearchKind, SortKey};
use crate::query::expr::{Expr, Slot};

impl Planner<'_> {
    /// The operators of a projection.
    pub(super) fn projection(&self, projection: BoundProjection, flow: &mut Flow) {
        let BoundProjection {
            aggregate,
            items,
            scope,
            distinct,
            order,
            skip,
            limit,
            filter,
        } = projection;
        let items = items
            .into_iter()
            .map(|(slot, item)| (slot, self.expr(item)));
        let items: Vec<(Slot, Expr)> = items.collect();
        let order = order.into_iter().map(|mut key| {
            key.expr = self.expr(key.expr);
            key
        });
        let order: Vec<SortKey> = order.collect();
        let skip = skip.map(|skip| self.expr(skip));
        let limit = limit.map(|limit| self.expr(limit));
        let filter = filter.map(|filter| self.expr(filter));
        // Whatever was written before is whole before anything is read of it.
        flow.before_reading();
        let groups = aggregate.is_some();
        if let Some(aggregate) = aggregate {
            self.aggregate(aggregate, flow);
        }
        let sorted = order.is_empty()
            || self.follows(Rule::SortOnce) && !groups && flow.is_sorted_by(&order);
        let cuts = skip.is_some() || limit.is_some();
        let may_wait = self.follows(Rule::ComputeOnlyWhatIsKept) && !groups && !distinct;
        type Items = Vec<(Slot, Expr)>;
        let (later, items): (Items, Items) = match may_wait && cuts && (sorted || limit.is_some()) {
            true => items
                .into_iter()
                .partition(|(slot, item)| may_come_last((*slot, item), &order)),
            false => (Vec::new(), items),
        };
        if sorted
            && !groups
            && !distinct
            && items.is_empty()
            && let Some(limit) = &limit
        {
            let most = skip.iter().chain([limit]).cloned().collect();
            self.find_only(flow, most);
        }
        // A filter after the projection may read what was there before it.
        let mut keep = scope.clone();
        keep.retain(|slot| !later.iter().any(|(of, _)| of == slot));
        for (_, item) in &later {
            item.each_slot(&mut |slot| keep.push(slot));
        }
        if !items.is_empty() {
            flow.fill(&items.iter().map(|(slot, _)| *slot).collect::<Vec<_>>());
            flow.push(Op::Compute(items));
        }
        if filter.is_some() {
            keep.extend(flow.filled());
        }
        keep.sort();
        keep.dedup();
        if distinct && !(groups && self.follows(Rule::DistinctOnce)) {
            flow.push(Op::Distinct(scope.clone()));
        }
        if !sorted {
            let only = self.follows(Rule::SortOnlyWhatIsKept);
            flow.push(Op::Sort {
                by: order.clone(),
                skip: skip.clone().filter(|_| only && limit.is_some()),
                limit: limit.clone().filter(|_| only),
                keep,
            });
            flow.gathered();
            flow.sorted_by(order);
        }
        if let Some(skip) = skip {
            flow.push(Op::Skip(skip));
        }
        if let Some(limit) = limit {
            flow.push(Op::Limit(limit));
        }
        if !later.is_empty() {
            // Rows that were sorted have waited; what comes now reads again.
            flow.before_reading();
            flow.fill(&later.iter().map(|(slot, _)| *slot).collect::<Vec<_>>());
            flow.push(Op::Compute(later));
        }
        if let Some(filter) = filter {
            flow.push(Op::Filter(filter));
        }
        flow.renew(scope);
    }

    /// Where rows come from the relationships of a node, or from an index, and are cut off next, no more of them are read
    /// than are left.
    fn find_only(&self, flow: &mut Flow, most: Vec<Expr>) {
        match flow.last_mut() {
            Some(Op::Expand(expand))
                if self.follows(Rule::ExpandOnlyWhatIsKept)
                    && !expand.to_bound
                    && expand.apart_from.is_empty() =>
            {
                expand.most = most;
            }
            // Where not everything is compared, how many are sought says how far: fewer might be others.
            Some(Op::Search(search))
                if self.follows(Rule::SearchOnlyWhatIsKept)
                    && (search.exact || search.kind == SearchKind::Fulltext)
                    && search.must_be.is_none() =>
            {
                search.most = most;
            }
            _ => {}
        }
    }

    fn aggregate(&self, aggregate: Aggregate, flow: &mut Flow) {
        let Aggregate { groups, aggregates } = aggregate;
        let in_any_order = ["count", "min", "max"];
        let mut functions = aggregates.iter().map(|one| one.function.name);
        // What is only counted need not be in order; what could fail has to.
        if self.follows(Rule::SortOnce)
            && groups.is_empty()
            && functions.all(|name| in_any_order.contains(&name))
            && let Some(Op::Sort {
                by, limit: None, ..
            }) = flow.last_mut()
            && by.iter().all(|key| !key.expr.may_fail())
        {
            flow.pop();
        }
        let groups = groups
            .into_iter()
            .map(|(expr, slot)| (self.expr(expr), slot));
        let aggregates = aggregates.into_iter().map(|mut aggregate| {
            aggregate.arguments = { aggregate.arguments }
                .into_iter()
                .map(|argument| self.expr(argument))
                .collect();
            aggregate
        });
        flow.push(Op::Aggregate(Box::new(Aggregate {
            groups: groups.collect(),
            aggregates: aggregates.collect(),
        })));
        flow.gathered();
    }
}

/// Whether a column may be computed when rows were cut off: it is the same then, would not have failed for the others,
/// and they are not sorted by it.
fn may_come_last((slot, item): (Slot, &Expr), order: &[SortKey]) -> bool {
    let sorted_by = order.iter().any(|key| key.expr.reads(slot));
    !sorted_by && item.is_steady() && !item.may_fail()
}
