//! Whether an index has what is stored, and nothing else.

use super::bound::Bound;
use super::truth::each;
use crate::error::Result;
use crate::graph::view::View;
use crate::keys::KeyRead;

/// So many differences are told one by one.
const MOST_TOLD: u64 = 20;

/// What is wrong with an index beside what a transaction reads. Nothing is said of an index that does not
/// answer it.
pub(crate) fn differences<K: KeyRead>(view: &View<'_, K>, bound: &Bound) -> Result<Vec<String>> {
    let Some(live) = bound.live() else {
        return Ok(Vec::new());
    };
    let commit = view.keys.commit_seq();
    if commit < live.from {
        return Ok(Vec::new());
    }
    let (def, index) = (&bound.def, &live.index);
    let mut wrong = index.check();
    let (mut stored, mut differing) = (0, 0);
    each(view, def, |id, vector| {
        stored += 1;
        if let Some(how) = index.differs(commit.get(), id, vector) {
            differing += 1;
            if differing <= MOST_TOLD {
                wrong.push(format!("{} {how}", def.scope.entity(id)));
            }
        }
        Ok(())
    })?;
    if differing > MOST_TOLD {
        wrong.push(format!("{differing} vectors differ from what is stored"));
    }
    let found = index.count_at(commit.get());
    if found != stored {
        wrong.push(format!("it has {found} vectors, and {stored} are stored"));
    }
    Ok(wrong)
}
