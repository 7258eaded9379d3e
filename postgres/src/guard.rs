//! Ends Postgres when the server ends, however it ends.
//!
//! The shell that becomes Postgres leaves a watcher behind, which reads a pipe whose only other end is in the server.
//! The kernel closes that end when the server dies, even by `kill -9`, and the watcher then asks Postgres for a fast
//! shutdown. Unlike a parent-death signal this needs no `unsafe`, does not depend on the thread that started Postgres
//! and works on every Unix. `initdb` cannot do without a shell either.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, ChildStdin, ExitStatus, Stdio},
};

use crate::account::Account;

/// `$$` is the process that the last line turns into Postgres. A word on the pipe dismisses the watcher; the end of the
/// pipe is the end of the server. SIGINT is Postgres' fast shutdown.
const SCRIPT: &str = r#"
exec 3<&0 </dev/null
( trap '' HUP INT TERM QUIT; read -r word <&3 || kill -INT $$ ) &
exec 3<&-
exec "$@"
"#;

/// Postgres and the pipe it hangs on.
#[derive(Debug)]
pub struct Guarded {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guarded {
    /// Starts `program` with the rights of `account`, its output going to `log`.
    pub fn spawn(account: &Account, program: &Path, arguments: &[OsString], log: File) -> io::Result<Self> {
        let mut command = account.command(Path::new("/bin/sh"));
        command.args(["-c", SCRIPT, "sh"]).arg(program).args(arguments);
        // A group of its own: Ctrl-C is for the server, which still has requests to finish.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        let mut child = command.spawn()?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }

    /// The process id of Postgres.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `Some` once Postgres has ended.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let ended = self.child.try_wait()?;
        if ended.is_some() {
            self.dismiss();
        }
        Ok(ended)
    }

    /// Asks for a fast shutdown by closing the pipe.
    pub fn release(&mut self) {
        self.pipe = None;
    }

    /// Sends the watcher away, for its target is gone and the number may become somebody else's.
    fn dismiss(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // A watcher that is gone already needs no word.
            pipe.write_all(b"ended\n").ok();
        }
    }
}
