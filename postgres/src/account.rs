//! Whose rights Postgres runs with.
//!
//! Postgres refuses to run as root. Under root its programs run as the account `postgres`, else `nobody`; under anybody
//! else they run as that user. A cluster that exists is always run by its owner.

use std::{
    fs::{self, Permissions},
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Stdio},
};

use nix::unistd::{Uid, User, geteuid};

use crate::Error;

/// The account of one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    name: String,
    uid: u32,
    /// `Some` when the rights of root have to be given up: the group to change to.
    drop_to_group: Option<u32>,
}

impl Account {
    /// `cluster` is the data folder of Postgres, which may not exist yet.
    pub fn choose(cluster: &Path) -> Result<Self, Error> {
        let me = geteuid();
        if !me.is_root() {
            let name = User::from_uid(me).ok().flatten().map_or_else(|| me.to_string(), |user| user.name);
            return Ok(Self { name, uid: me.as_raw(), drop_to_group: None });
        }
        let owner = fs::metadata(cluster).ok().filter(|found| found.uid() != 0);
        if let Some(owner) = owner {
            let user = User::from_uid(Uid::from_raw(owner.uid())).ok().flatten();
            let name = user.map_or_else(|| owner.uid().to_string(), |user| user.name);
            return Ok(Self { name, uid: owner.uid(), drop_to_group: Some(owner.gid()) });
        }
        let user = ["postgres", "nobody"].into_iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = user.ok_or(Error::NoAccount)?;
        Ok(Self { name: user.name, uid: user.uid.as_raw(), drop_to_group: Some(user.gid.as_raw()) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// A command with the rights of this account. Its working directory is `/`, because Postgres gives up in one it
    /// cannot enter.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null());
        if let Some(group) = self.drop_to_group {
            // The standard library also drops root's supplementary groups when it changes the user.
            command.uid(self.uid).gid(group);
            command.env_remove("HOME");
        }
        command
    }

    /// Makes `folder` if need be, for this account alone. Refuses a folder, or a link, that somebody else made: whoever
    /// owns it can replace the socket in it.
    pub fn own_folder(&self, folder: &Path) -> Result<(), Error> {
        match fs::create_dir(folder) {
            Ok(()) => {
                if let Some(group) = self.drop_to_group {
                    chown(folder, Some(self.uid), Some(group)).map_err(Error::io("hand over", folder))?;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let found = fs::symlink_metadata(folder).map_err(Error::io("look at", folder))?;
                if !found.is_dir() || found.uid() != self.uid {
                    return Err(Error::ForeignFolder { path: folder.to_owned() });
                }
            }
            Err(error) => return Err(Error::io("create", folder)(error)),
        }
        fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(Error::io("protect", folder))
    }

    /// Whether the account can enter `folder`, found by entering it: permission bits do not tell about ACLs, mount
    /// options or containers.
    pub fn can_enter(&self, folder: &Path) -> bool {
        let mut probe = self.command(Path::new("/bin/sh"));
        probe.args(["-c", "cd -- \"$1\"", "sh"]).arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }
}
