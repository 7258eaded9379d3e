//! Says what happens and runs programs.

use std::{
    fmt::Display,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, bail};

/// Says on one line what starts now.
pub fn step(what: impl Display) {
    eprintln!("xtask: {what}");
}

/// Says that there was nothing to do.
pub fn skip(what: impl Display) {
    eprintln!("xtask: {what} (done already)");
}

/// The last line of a command that failed.
pub fn fail(error: &anyhow::Error) {
    eprintln!("xtask: error: {error:#}");
}

/// Runs a program whose output belongs to the person who watches. Our stdout is data, so the program's goes to stderr.
pub fn run(command: &mut Command) -> Result<()> {
    let words = words(command);
    // Handing over stderr twice needs a descriptor of its own.
    let talk = std::os::fd::AsFd::as_fd(&std::io::stderr()).try_clone_to_owned().context("stderr is closed")?;
    let status = command.stdout(talk).status().with_context(|| format!("cannot run `{words}`"))?;
    if !status.success() {
        bail!("`{words}` failed ({status})");
    }
    Ok(())
}

/// Runs a program for its stdout; its stderr is shown only when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let words = words(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run `{words}`"))?;
    if !output.status.success() {
        bail!("`{words}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{words}` did not write text"))
}

/// Whether a program can be started at all.
pub fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Says what starts, does it, says how long it took.
pub fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    step(what);
    let started = Instant::now();
    let result = work()?;
    step(format_args!("{what}: {:.1} s", started.elapsed().as_secs_f64()));
    Ok(result)
}

fn words(command: &Command) -> String {
    let mut words = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        words.push(' ');
        words.push_str(&argument.to_string_lossy());
    }
    words
}
