//! From the `.proto` files to Rust, without `protoc`; and from the option `access` of each method to a table.
//!
//! A method without a rule, or with one that is unspecified, ends the build: a server that has no rule for a method
//! could only guess who may call it.

use prost_reflect::{DescriptorPool, ExtensionDescriptor, MethodDescriptor};
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
    fs::write(
        out.join("access.rs"),
        access_table(&compiler.descriptor_pool())?,
    )?;
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
fn access_table(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
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
                "    Method {{ path: {path:?}, access: Access::{access}, client_streams: {}, server_streams: {} }},",
                method.is_client_streaming(),
                method.is_server_streaming(),
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
