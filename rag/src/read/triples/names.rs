//! What people call the parts of a fact.

/// A part of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Subject,
    SubjectKind,
    SubjectDescription,
    Relation,
    Object,
    ObjectKind,
    ObjectDescription,
    Description,
    Source,
    /// A list of facts, each an object of its own.
    Facts,
    /// The title of the document that the facts are from.
    Title,
    /// An object with more to say.
    Metadata,
}

/// Every name that is known, without `_` and in small letters.
const NAMES: [(&str, Part); 46] = [
    ("entity1", Part::Subject),
    ("subject", Part::Subject),
    ("head", Part::Subject),
    ("entita1", Part::Subject),
    ("entità1", Part::Subject),
    ("e1", Part::Subject),
    ("h", Part::Subject),
    ("subj", Part::Subject),
    ("relation", Part::Relation),
    ("predicate", Part::Relation),
    ("relazione", Part::Relation),
    ("relationship", Part::Relation),
    ("rel", Part::Relation),
    ("r", Part::Relation),
    ("entity2", Part::Object),
    ("object", Part::Object),
    ("tail", Part::Object),
    ("entita2", Part::Object),
    ("entità2", Part::Object),
    ("e2", Part::Object),
    ("t", Part::Object),
    ("o", Part::Object),
    ("obj", Part::Object),
    ("entity1type", Part::SubjectKind),
    ("subjecttype", Part::SubjectKind),
    ("headtype", Part::SubjectKind),
    ("tipo1", Part::SubjectKind),
    ("entity2type", Part::ObjectKind),
    ("objecttype", Part::ObjectKind),
    ("tailtype", Part::ObjectKind),
    ("tipo2", Part::ObjectKind),
    ("subjectdescription", Part::SubjectDescription),
    ("headdescription", Part::SubjectDescription),
    ("objectdescription", Part::ObjectDescription),
    ("taildescription", Part::ObjectDescription),
    ("description", Part::Description),
    ("descrizione", Part::Description),
    ("source", Part::Source),
    ("fonte", Part::Source),
    ("triples", Part::Facts),
    ("triplets", Part::Facts),
    ("triple", Part::Facts),
    ("title", Part::Title),
    ("titolodocumento", Part::Title),
    ("documenttitle", Part::Title),
    ("metadata", Part::Metadata),
];

/// The part of that name.
pub(super) fn part_of(name: &str) -> Option<Part> {
    let plain: String = name
        .chars()
        .filter(|one| *one != '_' && *one != '-')
        .flat_map(char::to_lowercase)
        .collect();
    let found = NAMES.iter().find(|(known, _)| *known == plain);
    found.map(|(_, part)| *part)
}
