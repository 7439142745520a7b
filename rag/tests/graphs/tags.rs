//! TagRAG: object tags with their relations, each under a chain of domains from a given root; chains merge by name
//! into a hierarchy without cycles, whatever order documents come in.

use std::sync::Arc;

use serde_json::json;
use stratigraph_models::{Recorded, Request};
use stratigraph_rag::extract::Domain;
use stratigraph_rag::ingest::{Recipe, System};

use super::shown::{compare, graph};
use super::{document, ingest, layers, place, task};

const SOIL: &str = "# Soil\n\nClay holds water. Drainage takes water out of clay.\n";
const FIELDS: &str = "# Fields\n\nIrrigation brings water to clay. Drainage follows irrigation.\n";

/// Two documents that put two domains into each other.
fn reads(request: &Request) -> Option<String> {
    let text = place(request, "text");
    let tag = |name: &str, kind: &str, says: &str| json!({"name": name, "kind": kind, "description": says});
    let relation = |one: &str, other: &str, says: &str| json!({"source": one, "target": other, "description": says});
    let chain = |domains: [(&str, &str); 2], link: &str| {
        let domains = domains.map(|(name, says)| json!({"name": name, "description": says}));
        json!({"domains": domains, "link": link})
    };
    let reply = match task(request) {
        "object_tags" if text.starts_with("# Soil") => json!({
            "tags": [tag("Clay", "material", "It holds water."), tag("DRAINAGE", "method", "It takes water out.")],
            "relations": [relation("drainage", "CLAY", "Drainage takes water out of clay.")]
        }),
        "object_tags" => json!({
            "tags": [tag("IRRIGATION", "method", "It brings water."), tag("drainage", "method", "It follows irrigation.")],
            // Clay is no tag of this piece, but the text names it; peat is in no text.
            "relations": [relation("IRRIGATION", "clay", "Irrigation brings water to clay."), relation("PEAT", "clay", "Made up.")]
        }),
        _ => match place(request, "tag").split(' ').next()? {
            "CLAY" => chain(
                [
                    ("Soil science", "What soil is."),
                    ("Soil texture", "Grains."),
                ],
                "Clay is fine.",
            ),
            "DRAINAGE" => chain(
                [
                    ("Soil science", "What soil is."),
                    ("Water management", "Ways of water."),
                ],
                "A way out.",
            ),
            // The other way round.
            "IRRIGATION" => chain(
                [
                    ("Water Management", "Where water goes."),
                    ("Soil science", "Soils."),
                ],
                "A way in.",
            ),
            _ => return None,
        },
    };
    Some(reply.to_string())
}

fn made(of: [(&str, &str); 2]) -> Vec<String> {
    let root = Domain {
        name: "Agriculture".to_owned(),
        description: "All of farming.".to_owned(),
    };
    let recipe = Recipe::new(System::Tag, 512).root(root);
    let layers = layers(&recipe);
    let model = Arc::new(Recorded::by(reads));
    let documents = of.map(|(id, text)| document(id, text));
    for document in documents {
        ingest(&layers, &recipe, &model, &[document]);
    }
    graph(layers.database())
}

#[test]
fn chains_merge_by_name_into_a_hierarchy_without_cycles() {
    let found = made([("soil.md", SOIL), ("fields.md", FIELDS)]);
    compare(
        &found,
        "
        Document soil.md
        Document fields.md
        Section soil.md#Soil
        Section fields.md#Fields
        Chunk soil.md@0 {text=# Soil||Clay holds water. Drainage takes water out of clay.}
        Chunk fields.md@0 {text=# Fields||Irrigation brings water to clay. Drainage follows irrigation.}
        Entity:ObjectTag clay {kind=material, name=CLAY}
        Entity:ObjectTag drainage {kind=method, name=DRAINAGE}
        Entity:ObjectTag irrigation {kind=method, name=IRRIGATION}
        DomainTag agriculture {name=Agriculture}
        DomainTag soil science {name=Soil science}
        DomainTag soil texture {name=Soil texture}
        DomainTag water management {name=Water Management}
        soil.md -HAS_CHILD-> soil.md#Soil
        fields.md -HAS_CHILD-> fields.md#Fields
        soil.md#Soil -HAS_CHILD-> soil.md@0
        fields.md#Fields -HAS_CHILD-> fields.md@0
        soil.md@0 -MENTIONS-> clay {description=It holds water., kind=material, name=CLAY}
        soil.md@0 -MENTIONS-> drainage {description=It takes water out., kind=method, name=DRAINAGE}
        fields.md@0 -MENTIONS-> irrigation {description=It brings water., kind=method, name=IRRIGATION}
        fields.md@0 -MENTIONS-> drainage {description=It follows irrigation., kind=method, name=DRAINAGE}
        fields.md@0 -MENTIONS-> clay {name=CLAY}
        drainage -FACT-> clay {predicate=relates to, source=}
        irrigation -FACT-> clay {predicate=relates to, source=}
        soil.md@0 -HAS_TAG-> clay {chain=[agriculture; soil science; soil texture], description=Clay is fine.}
        soil.md@0 -HAS_TAG-> drainage {chain=[agriculture; soil science; water management], description=A way out.}
        fields.md@0 -HAS_TAG-> irrigation {chain=[agriculture; water management; soil science], description=A way in.}
        fields.md@0 -HAS_TAG-> drainage {chain=[agriculture; soil science; water management], description=A way out.}
        fields.md@0 -HAS_TAG-> clay {chain=[agriculture; soil science; soil texture], description=Clay is fine.}
        soil.md@0 -DESCRIBES-> agriculture {description=All of farming., name=Agriculture}
        soil.md@0 -DESCRIBES-> soil science {description=What soil is., name=Soil science}
        soil.md@0 -DESCRIBES-> soil texture {description=Grains., name=Soil texture}
        soil.md@0 -DESCRIBES-> water management {description=Ways of water., name=Water management}
        fields.md@0 -DESCRIBES-> agriculture {description=All of farming., name=Agriculture}
        fields.md@0 -DESCRIBES-> soil science {description=Soils., name=Soil science}
        fields.md@0 -DESCRIBES-> soil science {description=What soil is., name=Soil science}
        fields.md@0 -DESCRIBES-> soil texture {description=Grains., name=Soil texture}
        fields.md@0 -DESCRIBES-> water management {description=Where water goes., name=Water Management}
        fields.md@0 -DESCRIBES-> water management {description=Ways of water., name=Water management}
        soil texture -COVERS-> clay
        water management -COVERS-> drainage
        soil science -COVERS-> irrigation
        agriculture -HAS_SUBDOMAIN-> soil science
        agriculture -HAS_SUBDOMAIN-> water management
        soil science -HAS_SUBDOMAIN-> soil texture
        soil science -HAS_SUBDOMAIN-> water management
        ",
    );
    // Two chains say that water is managed in soil science, and one the contrary: the order changes nothing.
    let other = made([("fields.md", FIELDS), ("soil.md", SOIL)]);
    assert_eq!(other, found);
}
