//! Where the files of one cluster lie.
//!
//! ```text
//! data/lock          held by the server that runs the cluster; its process id for the message of the second one
//! data/cluster-id    random name of this cluster
//! data/postgres.log  what Postgres says
//! data/postgres/     Postgres' own data folder
//! data/socket/       its socket
//! ```
//!
//! The last two move to a folder named after `cluster-id` when the account of Postgres cannot enter `data/` (a clone
//! below a home directory, run as root), and the socket alone does when its path would be longer than a socket's may be.

use std::{
    env, fs,
    fs::{DirBuilder, File, Permissions},
    hash::{BuildHasher, Hasher, RandomState},
    io::{ErrorKind, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use crate::{Error, account::Account};

/// `sun_path` holds 108 bytes with the final zero on Linux and 104 on macOS and the BSDs.
const LONGEST_SOCKET_PATH: usize = 103;

/// The socket's name is fixed by Postgres; the port only names it, for nothing listens on TCP.
const SOCKET_NAME: &str = ".s.PGSQL.5432";

/// All paths of one cluster.
#[derive(Clone, Debug)]
pub struct Place {
    pub account: Account,
    pub cluster: PathBuf,
    pub socket_folder: PathBuf,
    pub log: PathBuf,
}

/// Makes `data_dir` and takes its lock, which lasts as long as the returned file is open.
pub fn lock(data_dir: &Path) -> Result<(PathBuf, File), Error> {
    if !data_dir.is_dir() {
        // Entered, not listed, by the account of Postgres, whatever the umask of the server.
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o755).create(data_dir).map_err(Error::io("create", data_dir))?;
        fs::set_permissions(data_dir, Permissions::from_mode(0o711)).map_err(Error::io("open up", data_dir))?;
    }
    let data_dir = fs::canonicalize(data_dir).map_err(Error::io("resolve", data_dir))?;
    let path = data_dir.join("lock");
    let mut options = File::options();
    let mut file =
        options.read(true).write(true).create(true).truncate(false).open(&path).map_err(Error::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
            return Err(Error::InUse { path: data_dir, pid });
        }
        Err(fs::TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(Error::io("write to", &path))?;
    Ok((data_dir, file))
}

impl Place {
    /// `data_dir` is absolute and locked.
    pub fn settle(data_dir: &Path) -> Result<Self, Error> {
        let id = cluster_id(data_dir)?;
        let account = Account::choose(&data_dir.join("postgres"))?;
        let mut tried = Vec::new();
        let home = if account.can_enter(data_dir) {
            data_dir.to_owned()
        } else {
            tried.push(data_dir.to_owned());
            fallback(&id, &mut tried, &account)?
        };
        let account = Account::choose(&home.join("postgres"))?;
        let socket_folder = if socket_in(&home.join("socket")).as_os_str().len() <= LONGEST_SOCKET_PATH {
            home.join("socket")
        } else {
            env::temp_dir().join(format!("lowerline-{id}"))
        };
        account.own_folder(&socket_folder)?;
        Ok(Self { account, cluster: home.join("postgres"), socket_folder, log: data_dir.join("postgres.log") })
    }

    /// The socket that clients open.
    pub fn socket(&self) -> PathBuf {
        socket_in(&self.socket_folder)
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join(SOCKET_NAME)
}

/// Major version that wrote the cluster of `data_dir`; `None` where there is none yet.
pub fn recorded_major(data_dir: &Path) -> Option<u32> {
    let moved = fs::read_to_string(data_dir.join("cluster-id")).unwrap_or_default();
    let homes = std::iter::once(data_dir.to_owned()).chain(fallback_folders(moved.trim()));
    homes.into_iter().find_map(|home| major_of(&home.join("postgres")))
}

/// What the file `PG_VERSION` of a cluster says.
pub fn major_of(cluster: &Path) -> Option<u32> {
    fs::read_to_string(cluster.join("PG_VERSION")).ok()?.trim().parse().ok()
}

/// A name for folders outside the data directory. Random and kept inside it, so that a new data directory at an old
/// path never finds the data of the old one.
fn cluster_id(data_dir: &Path) -> Result<String, Error> {
    let path = data_dir.join("cluster-id");
    match fs::read_to_string(&path) {
        Ok(text) if text.trim().len() == 16 && text.trim().bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            return Ok(text.trim().to_owned());
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("read", &path)(error)),
    }
    // The hasher's keys are the standard library's only source of randomness.
    let id = format!("{:016x}", RandomState::new().build_hasher().finish());
    fs::write(&path, format!("{id}\n")).map_err(Error::io("write", &path))?;
    Ok(id)
}

fn fallback_folders(id: &str) -> [PathBuf; 2] {
    let name = format!("lowerline-{id}");
    [Path::new("/var/lib").join(&name), env::temp_dir().join(name)]
}

fn fallback(id: &str, tried: &mut Vec<PathBuf>, account: &Account) -> Result<PathBuf, Error> {
    let mut folders = fallback_folders(id);
    // The one that holds the cluster goes first, so that a folder that becomes possible later does not hide it.
    folders.sort_by_key(|folder| major_of(&folder.join("postgres")).is_none());
    for folder in folders {
        let account = Account::choose(&folder.join("postgres"))?;
        if account.own_folder(&folder).is_ok() && account.can_enter(&folder) {
            return Ok(folder);
        }
        tried.push(folder);
    }
    Err(Error::Unreachable { account: account.name().to_owned(), tried: std::mem::take(tried) })
}

/// Quoted for a setting that is a comma-separated list of folders.
pub fn as_list_entry(folder: &Path) -> std::ffi::OsString {
    let mut quoted = vec![b'"'];
    for byte in folder.as_os_str().as_bytes() {
        if *byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    std::ffi::OsStr::from_bytes(&quoted).to_owned()
}
