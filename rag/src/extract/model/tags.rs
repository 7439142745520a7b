//! TagRAG: the object tags of a piece and their relations, and for each tag a chain of domains from a given
//! root.

use serde::Deserialize;

use super::super::prompt::Filling;
use super::super::reply::Checked;
use super::super::task::Task;
use super::super::{Calls, Domain, Entity, ExtractError, Language, Reading};
use super::{Asking, ByPrompts, place};

/// Reads object tags and their domains.
#[derive(Clone, Debug)]
pub struct Tags {
    calls: Calls,
    root: Domain,
    version: String,
}

#[derive(Deserialize)]
struct Reply {
    tags: Vec<Tag>,
    relations: Vec<Relation>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    kind: String,
    description: String,
}

#[derive(Deserialize)]
struct Relation {
    source: String,
    target: String,
    description: String,
}

#[derive(Deserialize)]
struct ChainReply {
    domains: Vec<OneDomain>,
    link: String,
}

#[derive(Deserialize)]
struct OneDomain {
    name: String,
    description: String,
}

impl Tags {
    /// The predicate of all relations between object tags: what they are, their descriptions say.
    pub const RELATES: &'static str = "relates to";

    /// Asks in this way, for chains from this root.
    #[must_use]
    pub fn new(calls: Calls, root: Domain) -> Self {
        let tasks = [Task::ObjectTags, Task::TagChain]
            .map(Task::versions)
            .join(";");
        let version = format!("tags-1;{tasks};root={:?}/{:?}", root.name, root.description);
        Self {
            calls,
            root,
            version,
        }
    }

    fn chain(
        &self,
        tag: &Entity,
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError> {
        let kind = tag.kind.as_deref().unwrap_or_default();
        let fillings = [
            Filling::new("root", &shown(&self.root)),
            Filling::new(
                "tag",
                &format!("{} ({kind}): {}", tag.name, tag.description),
            ),
        ];
        if let Some(reply) = asking.ask::<ChainReply>(Task::TagChain, &fillings, &[])? {
            let domains = reply.domains.into_iter();
            let domains: Vec<(String, String)> = domains
                .map(|domain| (domain.name, domain.description))
                .collect();
            checked.chain(&self.root, &domains, &tag.name, &reply.link);
        }
        Ok(())
    }
}

impl ByPrompts for Tags {
    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn edition(&self) -> &str {
        &self.version
    }

    fn go_through(
        &self,
        reading: &Reading<'_>,
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError> {
        let fillings = [
            Filling::new("place", &place(reading)),
            Filling::new("text", reading.text()),
        ];
        let Some(reply) = asking.ask::<Reply>(Task::ObjectTags, &fillings, &[])? else {
            // In the published runs a chunk of 1,150 tokens has some twelve tags.
            let tokens = asking
                .dry
                .map_or(0, |measure| measure.ends(reading.text()).len());
            let tags = (tokens as u64).div_ceil(100);
            let root = shown(&self.root);
            return asking.guess(Task::TagChain, &["root", "tag"], &root, &[], tags);
        };
        // One language has capitals, and in it two spellings of one keyword are one tag.
        let name = |name: &str| match asking.language {
            Language::English => name.to_uppercase(),
            _ => name.to_owned(),
        };
        for tag in &reply.tags {
            checked.entity(
                &name(&tag.name),
                Some(&tag.kind),
                &tag.description,
                Vec::new(),
            );
        }
        for one in &reply.relations {
            let (source, target) = (name(&one.source), name(&one.target));
            checked.triple(&source, Self::RELATES, &target, &one.description, "");
        }
        let tags = checked.entities().to_vec();
        for tag in &tags {
            self.chain(tag, asking, checked)?;
        }
        Ok(())
    }
}

fn shown(domain: &Domain) -> String {
    format!("{}: {}", domain.name, domain.description)
}
