//! Entities, tags and domains: what all who speak of them make of them.

use super::*;

#[test]
fn a_name_is_the_smallest_that_somebody_gives() {
    let layers = layers();
    put(&layers, "a", names(&["basalt"]));
    put(&layers, "b", names(&["BASALT"]));
    put(&layers, "c", names(&["Basalt"]));
    assert_eq!(entity_name(&layers, "basalt").as_deref(), Some("BASALT"));
    layers.delete("b").unwrap();
    assert_eq!(entity_name(&layers, "basalt").as_deref(), Some("Basalt"));
    layers.delete("c").unwrap();
    layers.delete("a").unwrap();
    assert_eq!(entity_name(&layers, "basalt"), None);
    assert!(layers.documents().unwrap().is_empty());
}

#[test]
fn an_entity_is_an_object_tag_as_long_as_a_chain_ends_at_it() {
    let layers = layers();
    put(
        &layers,
        "a",
        chain(&[("Nature", ""), ("Rock", "")], "Basalt"),
    );
    put(&layers, "b", names(&["Basalt"]));
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("ObjectTag")).unwrap(), 1);
    let levels = read.hierarchy(DOMAINS).unwrap();
    let rock = schema::find(&read, Label::DomainTag, "rock")
        .unwrap()
        .unwrap();
    assert_eq!(levels.level(rock).unwrap(), Some(1));
    layers.delete("a").unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("ObjectTag")).unwrap(), 0);
    assert_eq!(read.node_count(Some("Entity")).unwrap(), 1);
    assert_eq!(read.relationship_count(Some("ASSERTS")).unwrap(), 0);
}

#[test]
fn which_edge_of_a_cycle_is_left_out_does_not_depend_on_who_came_first() {
    let ways = [("a", ["X", "Y"]), ("b", ["Y", "X"]), ("c", ["Y", "X"])];
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let layers = layers();
        for place in order {
            let (id, domains) = &ways[place];
            let domains = domains.map(|name| (name, ""));
            put(&layers, id, chain(&domains, "thing"));
        }
        let under = |parent: &str| -> Vec<String> {
            let read = layers.database().read().unwrap();
            let parent = schema::find(&read, Label::DomainTag, parent)
                .unwrap()
                .unwrap();
            let children = read
                .neighbours(parent, Direction::Outgoing, Some("HAS_SUBDOMAIN"))
                .unwrap();
            let children = children.map(|child| child.unwrap().node);
            children
                .map(|child| held::key_of(&read, child).unwrap())
                .collect()
        };
        assert_eq!((under("x"), under("y")), (vec![], vec!["x".to_owned()]));
        // One against one: the names decide.
        layers.delete("c").unwrap();
        assert_eq!((under("x"), under("y")), (vec!["y".to_owned()], vec![]));
        layers.delete("a").unwrap();
        assert_eq!((under("x"), under("y")), (vec![], vec!["x".to_owned()]));
    }
}
