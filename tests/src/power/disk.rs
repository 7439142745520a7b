//! A disk that follows a recording: what is durable, and what is still in a cache.
//!
//! Names are the directory's business: each directory has its durable entries and a queue of
//! pending changes, of which a power loss keeps a prefix. Bytes are the file's (`content.rs`).
//! A rename between two directories stands in both queues and survives in both or in neither,
//! because journalling file systems commit it whole; a sync of either directory makes it durable.
//!
//! It must never call a name durable before its directory was synced. Next: `image.rs`.

use super::content::{Change, Content};
use super::image::{Image, ImageFile};
use super::record::{NodeId, Op, Recording};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// What the power loss does to everything that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All of it is lost.
    SyncedOnly,
    /// Some blocks, sizes and names survive, in any combination a journalling file system allows.
    Random,
    /// Like `Random`, and the last write of each file stops at a sector border inside a block.
    Torn,
    /// All of it survives: what a killed process leaves.
    Everything,
}

/// One pending change of one directory.
#[derive(Clone, Debug)]
struct Pending {
    /// The index of the op, to tell what a sync covers.
    position: usize,
    /// Applied first: a rename within a directory removes and adds.
    removed: Option<Vec<u8>>,
    added: Option<(Vec<u8>, NodeId)>,
    /// The other directory of a rename between two.
    partner: Option<NodeId>,
}

impl Pending {
    fn apply(&self, entries: &mut BTreeMap<Vec<u8>, NodeId>) {
        if let Some(name) = &self.removed {
            entries.remove(name);
        }
        if let Some((name, node)) = &self.added {
            entries.insert(name.clone(), *node);
        }
    }
}

#[derive(Default)]
struct Directory {
    durable: BTreeMap<Vec<u8>, NodeId>,
    pending: Vec<Pending>,
}

impl Directory {
    /// How many pending changes were made before an op.
    fn before(&self, position: usize) -> usize {
        self.pending.partition_point(|p| p.position < position)
    }

    fn has(&self, position: usize, kept: usize) -> bool {
        let kept = &self.pending[..kept];
        kept.binary_search_by_key(&position, |p| p.position).is_ok()
    }
}

/// The disk after the first operations of a recording.
pub struct Disk<'r> {
    recording: &'r Recording,
    position: usize,
    // Ordered maps, so that a seed gives the same image each time.
    directories: BTreeMap<NodeId, Directory>,
    files: BTreeMap<NodeId, Content>,
}

impl<'r> Disk<'r> {
    /// An empty disk, before the first operation.
    #[must_use]
    pub fn new(recording: &'r Recording) -> Disk<'r> {
        Disk {
            recording,
            position: 0,
            directories: BTreeMap::from([(NodeId::ROOT, Directory::default())]),
            files: BTreeMap::new(),
        }
    }

    /// The number of operations applied.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Applies operations until `point` of them are applied; a point behind has no effect.
    pub fn advance_to(&mut self, point: usize) {
        let ops = self.recording.ops();
        while self.position < point.min(ops.len()) {
            self.apply(self.position, &ops[self.position]);
            self.position += 1;
        }
    }

    fn apply(&mut self, position: usize, op: &Op) {
        match op {
            Op::Create {
                parent,
                name,
                node,
                directory,
            } => {
                if *directory {
                    self.directories.insert(*node, Directory::default());
                }
                self.entry_changed(*parent, position, None, Some((name.clone(), *node)), None);
            }
            Op::Link { parent, name, node } => {
                self.entry_changed(*parent, position, None, Some((name.clone(), *node)), None);
            }
            Op::Unlink { parent, name } => {
                self.entry_changed(*parent, position, Some(name.clone()), None, None);
            }
            Op::Rename {
                from,
                old_name,
                to,
                new_name,
                node,
            } => {
                let removed = Some(old_name.clone());
                let added = Some((new_name.clone(), *node));
                if from == to {
                    self.entry_changed(*from, position, removed, added, None);
                } else {
                    self.entry_changed(*from, position, removed, None, Some(*to));
                    self.entry_changed(*to, position, None, added, Some(*from));
                }
            }
            Op::Write { node, offset, data } => {
                let (offset, data) = (usize_of(*offset), data.clone());
                self.file_changed(*node, position, Change::Write { offset, data });
            }
            Op::Truncate { node, size } => {
                let size = usize_of(*size);
                self.file_changed(*node, position, Change::Truncate { size });
            }
            Op::Allocate { node, size } => {
                let size = usize_of(*size);
                self.file_changed(*node, position, Change::Allocate { size });
            }
            Op::Zero { node, offset, len } => {
                let (offset, len) = (usize_of(*offset), usize_of(*len));
                self.file_changed(*node, position, Change::Zero { offset, len });
            }
            Op::SyncEnd {
                node,
                begin,
                succeeded,
            } => {
                if let Some(file) = self.files.get_mut(node) {
                    if *succeeded {
                        file.synced(*begin, self.recording);
                    } else {
                        file.sync_failed(*begin);
                    }
                } else if *succeeded {
                    self.names_synced(*node, *begin);
                }
            }
            Op::BaseDone => {
                for file in self.files.values_mut() {
                    file.synced(position, self.recording);
                }
                for node in self.directories.keys().copied().collect::<Vec<_>>() {
                    self.names_synced(node, position);
                }
            }
            Op::SyncBegin { .. } | Op::Ack { .. } | Op::Fault { .. } => {}
        }
    }

    fn entry_changed(
        &mut self,
        directory: NodeId,
        position: usize,
        removed: Option<Vec<u8>>,
        added: Option<(Vec<u8>, NodeId)>,
        partner: Option<NodeId>,
    ) {
        let directory = self.directories.entry(directory).or_default();
        directory.pending.push(Pending {
            position,
            removed,
            added,
            partner,
        });
    }

    fn file_changed(&mut self, node: NodeId, position: usize, change: Change) {
        self.files.entry(node).or_default().change(position, change);
    }

    fn names_synced(&mut self, node: NodeId, begin: usize) {
        let mut to_sync = vec![(node, begin)];
        while let Some((node, begin)) = to_sync.pop() {
            let Some(directory) = self.directories.get_mut(&node) else {
                continue;
            };
            let covered = directory.before(begin);
            for pending in directory.pending.drain(..covered) {
                pending.apply(&mut directory.durable);
                // The other half of a rename commits with it, and what came before it there.
                to_sync.extend(pending.partner.map(|p| (p, pending.position + 1)));
            }
        }
    }

    /// How many pending changes of each directory survive.
    fn kept_names(&self, rng: &mut fastrand::Rng, mode: Mode) -> BTreeMap<NodeId, usize> {
        let mut kept: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (node, directory) in &self.directories {
            let all = directory.pending.len();
            let count = match mode {
                Mode::SyncedOnly => 0,
                Mode::Everything => all,
                // The two ends are the likely cases, and the ones that tests must not miss.
                Mode::Random | Mode::Torn => match rng.u8(..4) {
                    0 => 0,
                    1 => all,
                    _ => rng.usize(..=all),
                },
            };
            kept.insert(*node, count);
        }
        // A rename between directories is in both or in neither; cutting one queue shorter may cut
        // another, and as queues only get shorter this ends.
        loop {
            let mut shorter = None;
            for (node, directory) in &self.directories {
                let mine = &directory.pending[..kept[node]];
                let torn = mine.iter().position(|pending| {
                    pending.partner.is_some_and(|partner| {
                        !self.directories[&partner].has(pending.position, kept[&partner])
                    })
                });
                if let Some(count) = torn {
                    shorter = Some((*node, count));
                    break;
                }
            }
            match shorter {
                Some((node, count)) => kept.insert(node, count),
                None => return kept,
            };
        }
    }

    /// What a power loss now may leave.
    #[must_use]
    pub fn image(&self, rng: &mut fastrand::Rng, mode: Mode) -> Image {
        let kept = self.kept_names(rng, mode);
        let mut image = Image::default();
        let mut contents = HashMap::new();
        let mut visited = BTreeSet::new();
        let mut to_visit = vec![(NodeId::ROOT, PathBuf::new())];
        while let Some((node, path)) = to_visit.pop() {
            if !visited.insert(node) {
                continue;
            }
            let directory = &self.directories[&node];
            let mut entries = directory.durable.clone();
            for pending in &directory.pending[..kept[&node]] {
                pending.apply(&mut entries);
            }
            for (name, child) in entries {
                let path: PathBuf = path.join(Path::new(OsStr::from_bytes(&name)));
                if self.directories.contains_key(&child) {
                    image.directories.push(path.clone());
                    to_visit.push((child, path));
                    continue;
                }
                let content = contents.entry(child).or_insert_with(|| {
                    let file = self.files.get(&child);
                    file.map(|file| file.image(self.recording, rng, mode))
                        .unwrap_or_default()
                });
                image.files.push(ImageFile {
                    path,
                    node: child,
                    content: content.clone(),
                });
            }
        }
        image
    }
}

/// Sizes in a record are at most 4 GiB (`record.rs`), which any host of these tests can address.
fn usize_of(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}
