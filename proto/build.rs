//! From the `.proto` files to Rust, without `protoc`; and from the option `access` of each method to a table.
//!
//! A third table has the shapes of messages, so that they can be weighed before they are decoded.
//!
//! A method without a rule, or with one that is unspecified, ends the build: a server that has no rule for a method
//! could only guess who may call it.

use prost_reflect::{
    DescriptorPool, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folder that imports are relative to.
const ROOT: &str = "proto";
/// The package, whose files lie in the folder of that name.
const PACKAGE: &str = "stratigraph/v1";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={ROOT}");
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut compiler = protox::Compiler::new([ROOT])?;
    compiler.include_imports(true);
    compiler.open_files(sources()?)?;
    let pool = compiler.descriptor_pool();
    let shapes = Shapes::of(&pool);
    fs::write(out.join("shapes.rs"), shapes.table()?)?;
    fs::write(out.join("access.rs"), access_table(&pool, &shapes)?)?;
    // For reflection: encoded here, because prost would drop the options that it does not know, such as `access`.
    fs::write(
        out.join("descriptor.bin"),
        compiler.encode_file_descriptor_set(),
    )?;

    // Comments become the documentation of the generated types.
    compiler.include_source_info(true);
    let mut config = tonic_prost_build::Config::new();
    // Maps in one order: the same message has the same bytes, which caches and golden files like.
    config.btree_map(["."]);
    // Ours, because a server writes rows without making messages of them.
    config.extern_path(".stratigraph.v1.RowBatch", "crate::rows::RowBatch");
    tonic_prost_build::configure()
        .build_transport(false)
        .compile_well_known_types(false)
        .compile_fds_with_config(compiler.file_descriptor_set(), config)?;
    Ok(())
}

/// The `.proto` files, in the order of their names.
fn sources() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut sources = Vec::new();
    for entry in Path::new(ROOT).join(PACKAGE).read_dir()? {
        let name = entry?.file_name();
        sources.push(Path::new(PACKAGE).join(name));
    }
    sources.sort();
    Ok(sources)
}

/// `METHODS`, one line for each method of the package.
fn access_table(pool: &DescriptorPool, shapes: &Shapes) -> Result<String, Box<dyn Error>> {
    let option = pool
        .get_extension_by_name("stratigraph.v1.access")
        .ok_or("access.proto does not declare the option stratigraph.v1.access")?;
    let mut table =
        String::from("/// Every method, by its path.\npub const METHODS: &[Method] = &[\n");
    for service in pool.services() {
        for method in service.methods() {
            let path = format!("/{}/{}", service.full_name(), method.name());
            let access = rule(&method, &option).ok_or_else(|| {
                format!(
                    "{path} has no rule: say `option (access) = ACCESS_READ;` (or NONE, WRITE, ADMIN) in its definition"
                )
            })?;
            writeln!(
                table,
                "    Method {{ path: {path:?}, access: Access::{access}, client_streams: {}, server_streams: {}, request: {} }},",
                method.is_client_streaming(),
                method.is_server_streaming(),
                shapes.place(&method.input())?,
            )?;
        }
    }
    table.push_str("];\n");
    Ok(table)
}

/// The name of the method's rule as prost spells it; none without a rule that means something.
fn rule(method: &MethodDescriptor, option: &ExtensionDescriptor) -> Option<&'static str> {
    let options = method.options();
    if !options.has_extension(option) {
        return None;
    }
    let number = options.get_extension(option).as_enum_number()?;
    match number {
        1 => Some("None"),
        2 => Some("Read"),
        3 => Some("Write"),
        4 => Some("Admin"),
        _ => None,
    }
}

/// The messages of the package, each with its place in the table.
struct Shapes(Vec<MessageDescriptor>);

impl Shapes {
    fn of(pool: &DescriptorPool) -> Self {
        let ours = pool
            .all_messages()
            .filter(|message| message.package_name() == "stratigraph.v1");
        Self(ours.collect())
    }

    fn place(&self, message: &MessageDescriptor) -> Result<usize, Box<dyn Error>> {
        let place = self.0.iter().position(|known| known == message);
        place.ok_or_else(|| format!("{} is of another package", message.full_name()).into())
    }

    /// `SHAPES`, one line for each message: the fields that can weigh more than their bytes.
    fn table(&self) -> Result<String, Box<dyn Error>> {
        let mut table = String::from(
            "/// The fields of each message.\npub(super) const SHAPES: &[&[Field]] = &[\n",
        );
        for message in &self.0 {
            write!(table, "    // {}\n    &[", message.full_name())?;
            for field in message.fields() {
                if let Some(kind) = self.kind(&field)? {
                    let number = field.number();
                    write!(
                        table,
                        "Field {{ number: {number}, kind: FieldKind::{kind} }}, "
                    )?;
                }
            }
            table.push_str("],\n");
        }
        table.push_str("];\n");
        Ok(table)
    }

    fn kind(&self, field: &FieldDescriptor) -> Result<Option<String>, Box<dyn Error>> {
        Ok(match field.kind() {
            // The entry of a map is a message as well.
            Kind::Message(message) => Some(format!("Message({})", self.place(&message)?)),
            Kind::String | Kind::Bytes => Some("Text".to_owned()),
            _ if !field.is_list() => None,
            Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => Some("Numbers(4)".to_owned()),
            Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => Some("Numbers(8)".to_owned()),
            _ => Some("Numbers(0)".to_owned()),
        })
    }
}
