//! The shim on real children: this test executable again, and a C program for calls that Rust's
//! standard library does not make.

use super::shim::{self, Preload};
use super::{Disk, Mode, Op, Recording};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SCENARIO: &str = "STRATIGRAPH_POWER_CHILD";
/// The test harness itself prints to standard output, so the children acknowledge on the other.
const ACK_FD: i32 = 2;

/// A new directory for one test.
pub(super) fn scratch(name: &str) -> PathBuf {
    let name = format!("power-{name}-{}-{}", std::process::id(), fastrand::u64(..));
    let dir = std::env::temp_dir().join(name);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn library() -> PathBuf {
    shim::build(&std::env::temp_dir().join("stratigraph-iolog-test")).unwrap()
}

/// One child under the shim: a directory with `root` (recorded) and `record`.
struct Run {
    dir: PathBuf,
    output: Output,
}

impl Run {
    fn new(name: &str, prepare: impl FnOnce(&Path, Preload) -> (Command, Preload)) -> Run {
        let dir = scratch(name);
        let root = dir.join("root");
        fs::create_dir(&root).unwrap();
        let preload = Preload::new(library(), &root);
        let preload = preload.record(&dir.join("record")).acks(ACK_FD);
        let (mut command, preload) = prepare(&root, preload);
        preload.apply(&mut command).unwrap();
        let command = command.current_dir(&root).stdin(Stdio::null());
        let output = command.output().unwrap();
        Run { dir, output }
    }

    /// Runs one of the scenarios of [`child`].
    fn scenario(name: &str, change: impl FnOnce(&Path, Preload) -> Preload) -> Run {
        Run::new(name, |root, preload| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--exact", "--nocapture", "--include-ignored"])
                .arg(
                    concat!(module_path!(), "::child")
                        .split_once("::")
                        .unwrap()
                        .1,
                )
                .env(SCENARIO, name);
            (command, change(root, preload))
        })
    }

    fn root(&self) -> PathBuf {
        self.dir.join("root")
    }

    /// The recording, after the check that nothing went round the shim.
    fn recording(&self) -> Recording {
        assert!(self.output.status.success(), "{:?}", self.output);
        let recording = Recording::read(&self.dir.join("record")).unwrap();
        let mut rng = fastrand::Rng::with_seed(0);
        let all = recording.image_at(recording.len(), &mut rng, Mode::Everything);
        let none: Vec<String> = Vec::new();
        assert_eq!(all.differences(&self.root()).unwrap(), none);
        recording
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

/// Not a test: the body of the children, chosen by an environment variable.
#[test]
#[ignore = "the children of the other tests run this"]
fn child() {
    let scenario = std::env::var(SCENARIO).unwrap_or_default();
    match scenario.as_str() {
        "write-sync-write" => write_sync_write(),
        "many-calls" => many_calls(),
        "threads" => threads(),
        "faults" => faults(),
        _ => Ok(()),
    }
    .unwrap();
}

fn ack(text: &str) {
    io::stderr().write_all(text.as_bytes()).unwrap();
}

fn write_sync_write() -> io::Result<()> {
    let mut file = File::create("log")?;
    file.write_all(b"synced ")?;
    file.sync_data()?;
    File::open(".")?.sync_all()?;
    ack("1\n");
    file.write_all(b"unsynced")?;
    ack("2\n");
    Ok(())
}

#[test]
fn a_real_child_loses_exactly_what_it_did_not_sync() {
    let run = Run::scenario("write-sync-write", |_, preload| preload);
    let recording = run.recording();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut first_ack = None;
    let mut disk = Disk::new(&recording);
    for point in 0..=recording.len() {
        disk.advance_to(point);
        let acks: Vec<u8> = recording.acks_before(point).flatten().copied().collect();
        let image = disk.image(&mut rng, Mode::SyncedOnly);
        if acks.starts_with(b"1") {
            first_ack = first_ack.or(Some(point));
            assert_eq!(image.file("log"), Some(&b"synced "[..]), "at {point}");
        }
    }
    let before_ack = recording.image_at(first_ack.unwrap() - 2, &mut rng, Mode::SyncedOnly);
    assert_eq!(
        before_ack.file("log"),
        None,
        "the name came with the last sync"
    );
    let acks: Vec<u8> = recording
        .acks_before(recording.len())
        .flatten()
        .copied()
        .collect();
    assert_eq!(acks, b"1\n2\n");
    assert!(String::from_utf8_lossy(&run.output.stderr).contains("1\n2\n"));
    let out = run.dir.join("image");
    let last = disk.image(&mut rng, Mode::SyncedOnly);
    last.write_to(&out).unwrap();
    assert_eq!(fs::read(out.join("log")).unwrap(), b"synced ");
}

fn many_calls() -> io::Result<()> {
    // Relative and absolute paths, what was there before, and the calls of `std::fs`.
    let root = std::env::current_dir()?;
    let mut old = OpenOptions::new().append(true).open("before")?;
    old.write_all(b" appended")?;
    fs::create_dir_all(root.join("a/b"))?;
    fs::write("a/b/one", vec![b'1'; 10_000])?;
    fs::copy("a/b/one", "a/copy")?;
    fs::copy("/proc/self/status", root.join("from-outside"))?;
    let file = OpenOptions::new().read(true).write(true).open("a/copy")?;
    file.set_len(20_000)?;
    file.write_all_at(b"far", 15_000)?;
    file.set_len(16_000)?;
    let mut cloned = file.try_clone()?;
    cloned.seek(io::SeekFrom::End(0))?;
    let parts = [io::IoSlice::new(b"ve"), io::IoSlice::new(b"ctor")];
    assert_eq!(cloned.write_vectored(&parts)?, 6);
    drop((file, cloned));
    fs::hard_link("a/b/one", "linked")?;
    fs::rename("a/b/one", "a/b/two")?;
    fs::remove_file("a/b/two")?;
    fs::create_dir("tree")?;
    fs::write("tree/leaf", b"x")?;
    fs::remove_dir_all("tree")?;
    // The descriptors that remove_dir_all closed inside libc may be reused for other things.
    let (mut reader, mut writer) = io::pipe()?;
    writer.write_all(b"not a file")?;
    drop(writer);
    io::copy(&mut reader, &mut File::create("piped")?)?;
    // A deleted file's inode number comes back; the record must not mix the two.
    for round in 0..20_u8 {
        fs::write("again", [round; 100])?;
        fs::remove_file("again")?;
    }
    fs::write("again", b"a long text")?;
    fs::write("again", b"truncated")?;
    let crossing = fs::rename("again", "../outside").map_err(|error| error.kind());
    assert_eq!(crossing, Err(io::ErrorKind::CrossesDevices));
    fs::write("../outside", b"not recorded")?;
    fs::create_dir("moved")?;
    fs::write("moved/in", b"in")?;
    fs::rename("moved", "a/renamed")?;
    fs::write("a/renamed/in", b"changed")?;
    File::open("a/renamed")?.sync_all()
}

#[test]
fn the_record_of_many_calls_gives_back_the_directory() {
    let run = Run::scenario("many-calls", |root, preload| {
        fs::write(root.join("before"), b"the process").unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        preload
    });
    let recording = run.recording();
    let mut rng = fastrand::Rng::with_seed(0);
    let base = recording.image_at(recording.base_len(), &mut rng, Mode::SyncedOnly);
    assert_eq!(base.file("before"), Some(&b"the process"[..]));
    assert_eq!(base.paths().len() + base.directories().len(), 2);
    let end = recording.image_at(recording.len(), &mut rng, Mode::SyncedOnly);
    assert_eq!(end.file("before"), Some(&b"the process"[..]));
    assert_eq!(
        end.paths().len(),
        1,
        "nothing else was synced with its name"
    );
}

const THREADS: usize = 8;
const ROUNDS: u8 = 60;

fn threads() -> io::Result<()> {
    // All threads write at one shared offset, which the shim has to ask for after the write.
    let shared = File::create("shared")?;
    std::thread::scope(|scope| {
        let shared = &shared;
        for thread in 0..THREADS {
            scope.spawn(move || -> io::Result<()> {
                let name = format!("t{thread}");
                let mut file = File::create(&name)?;
                File::open(".")?.sync_all()?;
                for round in 1..=ROUNDS {
                    file.write_all(&[round; 700])?;
                    for _ in 0..20 {
                        (&*shared).write_all(&vec![round; thread + 1])?;
                    }
                    file.sync_data()?;
                    ack(&format!("{thread} {round}\n"));
                    let temp = format!("{name}-{round}");
                    fs::write(&temp, [round])?;
                    fs::rename(&temp, format!("{name}-last"))?;
                }
                // Forking under load must not leave the child with a locked lock.
                let status = Command::new("/bin/true").env_clear().status()?;
                assert!(status.success());
                Ok(())
            });
        }
    });
    Ok(())
}

#[test]
fn many_threads_keep_every_acknowledged_write_in_every_image() {
    let run = Run::scenario("threads", |_, preload| preload);
    let recording = run.recording();
    let mut rng = fastrand::Rng::with_seed(3);
    let mut disk = Disk::new(&recording);
    let mut acked = [0_u8; THREADS];
    let mut checked = 0;
    for (point, op) in recording.ops().iter().enumerate() {
        let Op::Ack { data } = op else { continue };
        let line = String::from_utf8_lossy(recording.bytes(data)).into_owned();
        let (thread, round) = line.trim_end().split_once(' ').unwrap();
        acked[thread.parse::<usize>().unwrap()] = round.parse().unwrap();
        disk.advance_to(point + 1);
        for mode in [Mode::SyncedOnly, Mode::Torn] {
            let image = disk.image(&mut rng, mode);
            for (thread, rounds) in acked.iter().enumerate().filter(|(_, n)| **n > 0) {
                let content = image.file(format!("t{thread}")).unwrap();
                for round in 1..=*rounds {
                    let at = usize::from(round - 1) * 700;
                    assert!(content[at..at + 700].iter().all(|b| *b == round));
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(acked, [ROUNDS; THREADS]);
    assert!(checked > 1000);
}

fn faults() -> io::Result<()> {
    let mut results = String::new();
    let mut note = |result: io::Result<()>| match result {
        Ok(()) => results.push('.'),
        Err(error) => {
            results.push_str(&error.raw_os_error().map_or("?".into(), |n| n.to_string()));
        }
    };
    let mut bad = File::create("bad")?;
    let good = File::create("good")?;
    for _ in 0..4 {
        note(bad.write_all(b"x"));
        note(bad.sync_data());
        note(bad.sync_all());
        note(good.sync_data());
    }
    let seen = bad.metadata()?.len();
    ack(&format!("{results} {seen}\n"));
    Ok(())
}

#[test]
fn chosen_calls_fail_once_or_from_then_on() {
    let acks = |rules: &str, only_in: &str| {
        let run = Run::scenario("faults", |_, preload| {
            preload.fail(rules).fail_only_in(only_in)
        });
        let recording = run.recording();
        let faults = recording.ops().iter();
        let faults = faults.filter(|op| matches!(op, Op::Fault { .. })).count();
        let acks = recording.acks_before(recording.len());
        let acks: Vec<u8> = acks.flatten().copied().collect();
        (String::from_utf8(acks).unwrap(), faults)
    };
    let expect = |text: &str, faults: usize| (text.to_owned(), faults);
    assert_eq!(
        acks("fdatasync:EIO:2", "bad"),
        expect(".....5.......... 4\n", 1)
    );
    assert_eq!(
        acks("fdatasync:EIO:2+", "bad"),
        expect(".....5...5...5.. 4\n", 3)
    );
    assert_eq!(
        acks("sync:EIO:2+", "bad"),
        expect("..5..55..55..55. 4\n", 7)
    );
    assert_eq!(
        acks("fdatasync:EIO:2", ""),
        expect("...5............ 4\n", 1)
    );
    assert_eq!(
        acks("write:ENOSPC:3,fsync:EIO:1", "bad"),
        expect("..5.....28....... 3\n", 2)
    );
}

#[test]
fn faults_work_without_a_record_and_bad_rules_stop_the_child() {
    let run = |rules: &str| {
        let dir = scratch("rules");
        let mut command = Command::new("/bin/mkdir");
        let preload = Preload::new(library(), &dir).fail(rules);
        let output = preload.apply(&mut command).unwrap().arg(dir.join("new"));
        let output = output.output().unwrap();
        let made = dir.join("new").exists();
        fs::remove_dir_all(dir).unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), made, said)
    };
    assert_eq!(run("mkdir:EIO:2"), (Some(0), true, String::new()));
    let (code, made, said) = run("mkdir:ENOSPC:1");
    assert_eq!((code, made), (Some(1), false));
    assert!(said.contains("No space left"), "{said}");
    for bad in [
        "fdatasync",
        "fdatasync:EIO",
        "fdatasync:EIO:0",
        "flush:EIO:1",
        "write:EIO:2-",
        "write:EWHAT:1",
    ] {
        assert_eq!(run(bad).0, Some(97), "{bad}");
    }
}

#[test]
fn a_second_process_cannot_join_a_record() {
    let run = Run::new("wrapper", |_, preload| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "/bin/true; exit $?"]);
        (command, preload)
    });
    assert_eq!(run.output.status.code(), Some(97));
    assert!(String::from_utf8_lossy(&run.output.stderr).contains("cannot create the record"));
}

const C_PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
    int root = open(".", O_RDONLY | O_DIRECTORY);
    assert(mkdirat(root, "dir/", 0755) == 0);
    int dir = openat(root, "dir", O_RDONLY | O_DIRECTORY);
    int a = openat(dir, "../dir/a", O_CREAT | O_RDWR | O_EXCL, 0644);
    assert(write(a, "0123456789", 10) == 10);
    int b = dup(a), c = fcntl(a, F_DUPFD_CLOEXEC, 50), d = dup2(a, 77);
    struct iovec v[2] = {{"AB", 2}, {"CD", 2}};
    assert(pwritev(b, v, 2, 20) == 4 && pwrite(c, "z", 1, 1) == 1 && writev(d, v, 2) == 4);
    close(a); close(b); close(c);
    assert(lseek(d, 3, SEEK_SET) == 3 && write(d, "lll", 3) == 3);
    assert(fallocate(d, 0, 0, 9000) == 0);
    assert(fallocate(d, FALLOC_FL_KEEP_SIZE, 0, 90000) == 0);
    assert(fallocate(d, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 5, 2) == 0);
    assert(posix_fallocate(d, 9000, 10) == 0);
    assert(fsync(dir) == 0 && fdatasync(d) == 0);
    assert(pwrite(d, "late", 4, 100) == 4);
    int e = creat("dir/e", 0644), f = open("dir/a", O_RDWR | O_APPEND);
    assert(pwrite(f, "end", 3, 0) == 3 && write(e, "gone", 4) == 4);
    assert(copy_file_range(f, NULL, e, NULL, 5, 0) == -1 && errno == ENOSYS);
    assert(sendfile(e, f, NULL, 5) == -1 && errno == ENOSYS);
    assert(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0) == MAP_FAILED && errno == ENODEV);
    assert(fopen("dir/stdio", "w") == NULL && errno == ENOTSUP);
    assert(open(".", O_TMPFILE | O_RDWR, 0644) == -1 || !"a file without a name");
    assert(truncate("dir/e", 2) == 0 && linkat(dir, "e", root, "e2", 0) == 0);
    assert(renameat(root, "e2", root, "dir/e") == 0);
    assert(renameat2(dir, "e", root, "top", RENAME_NOREPLACE) == 0);
    assert(renameat2(dir, "a", root, "top", RENAME_EXCHANGE) == -1 && errno == EINVAL);
    assert(mkdir("gone", 0755) == 0 && mkdir("gone2", 0755) == 0 && remove("gone") == 0 && rmdir("gone2") == 0);
    close(creat("removed", 0644)); close(creat("dir/removed", 0644));
    assert(remove("removed") == 0 && unlinkat(dir, "removed", 0) == 0);
    int listed = open(".", O_RDONLY | O_DIRECTORY);
    closedir(fdopendir(listed));
    int reused = memfd_create("not the root", 0);
    assert(reused == listed && fsync(reused) == 0);
    return 0;
}
"#;

#[test]
fn calls_that_rust_does_not_make_are_recorded_too() {
    let run = Run::new("c-program", |root, preload| {
        let (source, program) = (root.join("../program.c"), root.join("../program"));
        fs::write(&source, C_PROGRAM).unwrap();
        let mut compiler = Command::new("cc");
        let built = compiler.arg("-o").args([&program, &source]).status();
        assert!(built.unwrap().success());
        (Command::new(program), preload)
    });
    let recording = run.recording();
    let mut rng = fastrand::Rng::with_seed(0);
    let image = recording.image_at(recording.len(), &mut rng, Mode::SyncedOnly);
    assert!(image.paths().is_empty(), "the root was not synced");
    let all = recording.image_at(recording.len(), &mut rng, Mode::Everything);
    assert_eq!(all.file("top"), Some(&b"go"[..]));
    let a = all.file("dir/a").unwrap();
    assert_eq!(&a[..14], b"0z2ll\0\x00789ABCD");
    assert_eq!((a.len(), &a[9010..]), (9013, &b"end"[..]));
}
