//! Settings: flag over environment over `lowerline.toml`.

use std::{
    fmt,
    io::Write as _,
    path::{Path, PathBuf},
};

use lowerline_shared::ids::ProjectSlug;
use serde::Deserialize;

use crate::{
    args::Global,
    exit::{self, Failure},
    output::escape,
};

/// Name of the settings file.
const FILE: &str = "lowerline.toml";

/// What the file may hold. A token is not among it: the file is made to be committed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    server: Option<String>,
    project: Option<String>,
    /// File that holds the token, relative to the settings file.
    #[serde(rename = "token_file")]
    token: Option<PathBuf>,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Given on the command line.
    Flag(&'static str),
    /// A variable of the environment.
    Environment(&'static str),
    /// A settings file.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Environment(name) => write!(f, "{name}"),
            Self::File(path) => write!(f, "{}", escape(&path.to_string_lossy())),
        }
    }
}

/// A value and where it comes from; `None` when nobody set it.
pub type Setting = Option<(String, Origin)>;

/// Everything that can be set outside a command's own flags.
pub struct Settings {
    server: Setting,
    token: Setting,
    project: Setting,
}

/// The nearest settings file from `start` upwards, not above the root of a repository.
fn nearest(start: &Path) -> Option<PathBuf> {
    for folder in start.ancestors() {
        let file = folder.join(FILE);
        if file.is_file() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn read(path: &Path) -> Result<File, Failure> {
    let shown = escape(&path.to_string_lossy());
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::Usage(format!("cannot read {shown}: {error}")))?;
    toml::from_str(&text).map_err(|error| {
        let hint = if error.message().contains("unknown field `token`") {
            "\na token does not belong in a file made to be committed: use LOWERLINE_TOKEN or `token_file`"
        } else {
            ""
        };
        let message: Vec<String> = error.to_string().lines().map(escape).collect();
        Failure::Usage(format!("{shown} is no settings file: {}{hint}", message.join("\n")))
    })
}

fn pick(
    flag: Option<(String, &'static str)>,
    name: &'static str,
    env: &dyn Fn(&str) -> Option<String>,
    file: Option<(String, &Path)>,
) -> Setting {
    let flag = flag.map(|(value, flag)| (value, Origin::Flag(flag)));
    // An empty variable is how CI systems spell "not set".
    let variable = || env(name).filter(|value| !value.is_empty()).map(|value| (value, Origin::Environment(name)));
    let file = || file.map(|(value, path)| (value, Origin::File(path.to_owned())));
    flag.or_else(variable).or_else(file)
}

impl Settings {
    /// Reads them from flags, environment and file.
    pub fn load(global: &Global) -> Result<Self, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        Self::resolve(global, &here, &|name| std::env::var(name).ok())
    }

    fn resolve(global: &Global, here: &Path, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let path = global.config.clone().or_else(|| nearest(here));
        let (file, path) = match path {
            Some(path) => (read(&path)?, path),
            None => (File::default(), PathBuf::new()),
        };
        let token = match &file.token {
            Some(token) => {
                let token = path.parent().unwrap_or(Path::new("")).join(token);
                // The file need not exist on machines that set the variable.
                std::fs::read_to_string(token).ok().map(|token| token.trim().to_owned())
            }
            None => None,
        };
        let from_file = |value: Option<String>| value.map(|value| (value, path.as_path()));
        let flag = |value: Option<String>, name| value.map(|value| (value, name));
        Ok(Self {
            server: pick(flag(global.server.clone(), "--server"), "LOWERLINE_SERVER", env, from_file(file.server)),
            token: pick(flag(global.token.clone(), "--token"), "LOWERLINE_TOKEN", env, from_file(token)),
            project: pick(
                flag(global.project.as_ref().map(ToString::to_string), "--project"),
                "LOWERLINE_PROJECT",
                env,
                from_file(file.project),
            ),
        })
    }

    /// The project, checked.
    pub fn project(&self) -> Result<ProjectSlug, Failure> {
        let (value, origin) = self.project.as_ref().ok_or_else(|| {
            Failure::Usage("no project: give --project, LOWERLINE_PROJECT or `project` in lowerline.toml".to_owned())
        })?;
        value.parse().map_err(|error| Failure::Usage(format!("{error}; it comes from {origin}")))
    }

    /// The server's address without a slash at the end, checked.
    pub fn server(&self) -> Result<String, Failure> {
        let (value, origin) = self.server.as_ref().ok_or_else(|| {
            Failure::Usage("no server: give --server, LOWERLINE_SERVER or `server` in lowerline.toml".to_owned())
        })?;
        let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://")).unwrap_or_default();
        let host = rest.split('/').next().unwrap_or_default();
        let plain =
            !host.is_empty() && !rest.contains(['?', '#', '@', '\\']) && rest.bytes().all(|b| b.is_ascii_graphic());
        if plain {
            Ok(value.trim_end_matches('/').to_owned())
        } else {
            Err(Failure::Usage(format!(
                "a server is an address such as https://lowerline.example, without name or query; it comes from {origin}"
            )))
        }
    }

    /// The token, when there is one.
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().map(|(token, _)| token.as_str())
    }
}

/// `lowerline config show`.
pub fn show(global: &Global) -> Result<u8, Failure> {
    let settings = Settings::load(global)?;
    let mut out = std::io::stdout().lock();
    let hidden = settings.token.as_ref().map(|(_, origin)| ("(hidden)".to_owned(), origin.clone()));
    for (name, setting) in [("server", &settings.server), ("project", &settings.project), ("token", &hidden)] {
        match setting {
            Some((value, origin)) => writeln!(out, "{name:<8} {}  from {origin}", escape(value))?,
            None => writeln!(out, "{name:<8} not set")?,
        }
    }
    Ok(exit::FINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str, env: &[(&str, &str)], flag: Option<&str>) -> Result<Settings, Failure> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(dir.path().join("a/b")).expect("folders");
        std::fs::write(dir.path().join(FILE), text).expect("a file");
        let global = Global { server: flag.map(str::to_owned), ..Global::default() };
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Settings::resolve(&global, &dir.path().join("a/b"), &env)
    }

    #[test]
    fn flag_beats_environment_beats_file() {
        let file = "server = \"http://file\"\nproject = \"from-file\"\n";
        let all = settings(file, &[("LOWERLINE_SERVER", "http://env")], Some("http://flag/")).expect("settings");
        assert_eq!(all.server().expect("a server"), "http://flag");
        assert_eq!(all.project().expect("a project").as_str(), "from-file");
        let two = settings(file, &[("LOWERLINE_SERVER", "http://env")], None).expect("settings");
        assert_eq!(two.server().expect("a server"), "http://env");
        let one = settings(file, &[("LOWERLINE_SERVER", "")], None).expect("settings");
        assert_eq!(one.server().expect("a server"), "http://file");
    }

    #[test]
    fn a_token_in_the_file_is_refused_with_the_way_out() {
        let error = settings("token = \"llt_x\"", &[], None).err().expect("refused").to_string();
        assert!(error.contains("LOWERLINE_TOKEN"), "{error}");
    }

    #[test]
    fn a_server_with_a_name_or_another_scheme_is_refused() {
        for server in ["ftp://x", "http://", "https://me:secret@x", "x", "http://x?y", "http://x y"] {
            assert!(settings("", &[], Some(server)).expect("settings").server().is_err(), "{server}");
        }
    }
}
