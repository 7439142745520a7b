//! Subqueries that a number answers: how many relationships of a type a node has is kept by the store.
//!
//! Next: `matching.rs`.

use super::stated::is_there;
use super::{Arrow, Degree, Expand, Op};
use crate::query::expr::SubqueryKind;

/// What `EXISTS` or `COUNT` of one relationship reads instead of walking; none if the operators do anything else.
pub(super) fn degree_of(kind: &SubqueryKind, ops: &[Op]) -> Option<Degree> {
    let expand = match ops {
        [Op::Expand(expand)] => expand,
        // Nothing leaves null, with the condition and without.
        [Op::Filter(filter), Op::Expand(expand)] if is_there(filter, &[expand.from]) => expand,
        _ => return None,
    };
    let Expand {
        from,
        relationship: _,
        to: _,
        to_bound: false,
        arrow,
        types,
        apart_from,
        most,
    } = expand
    else {
        return None;
    };
    let plain = apart_from.is_empty() && most.is_empty();
    let counts = match kind {
        SubqueryKind::Exists => true,
        // A loop is one relationship and counts at both of its ends.
        SubqueryKind::Count => *arrow != Arrow::Either,
        SubqueryKind::Collect(_) => false,
    };
    (plain && counts).then(|| Degree {
        of: *from,
        arrow: *arrow,
        types: types.clone(),
    })
}
