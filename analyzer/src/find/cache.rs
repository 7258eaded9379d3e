//! Triton cache entries: `<name>.json` beside `<name>.ttir …`, with `__grp__<name>.json` naming what was written.
//!
//! The group file holds the absolute paths of the machine that compiled. Only its names are used: a cache may have been
//! moved, and a path inside it could name any file.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lowerline_shared::{
    api::{BuildManifest, BuildStatus, Config},
    ids::{InvalidName, TargetName},
    stage::Stage,
};
use serde_json::Value;

use super::{ArtifactFile, Findings, Folder, Found, ir, label, metadata::Metadata};

/// Stages that show the signature, the steadiest first: TTIR is there in every release, Gluon kernels have none.
const WITH_SIGNATURE: [Stage; 4] = [Stage::Ttir, Stage::Ttgir, Stage::Glir, Stage::Source];

fn text_of(folder: &Folder<'_>, files: &[ArtifactFile], stage: Stage) -> Option<String> {
    folder.text(files.iter().find(|file| file.stage == stage && file.form.is_empty())?)
}

/// `sm_90a` as PTX says, since the metadata has only `90`; `gfx942` as the metadata says.
fn target(folder: &Folder<'_>, about: &Metadata, files: &[ArtifactFile]) -> Result<TargetName, String> {
    let arch = about.arch.as_deref().ok_or("the metadata names no target.arch")?;
    let name = if about.backend.as_deref() == Some("cuda") {
        let said = text_of(folder, files, Stage::Ptx).and_then(|text| {
            let line = text.lines().take(200).find_map(|line| line.trim().strip_prefix(".target "))?;
            line.split(',').next().map(|target| target.trim().to_owned())
        });
        said.unwrap_or_else(|| format!("sm_{arch}"))
    } else {
        arch.to_owned()
    };
    name.parse().map_err(|error: InvalidName| error.to_string())
}

fn build(
    folder: &Folder<'_>,
    about: &Metadata,
    files: &[ArtifactFile],
) -> Result<(BuildManifest, BTreeSet<String>), String> {
    let shape = WITH_SIGNATURE.into_iter().find_map(|stage| ir::read(&text_of(folder, files, stage)?));
    let mut attributes = BTreeMap::new();
    if let Some(shape) = &shape {
        attributes.insert("signature".to_owned(), Value::from(label::signature(&shape.arguments)));
    }
    let name = about.name.clone().ok_or("the metadata names no function")?;
    let build = BuildManifest {
        kernel: name.parse().map_err(|error: InvalidName| error.to_string())?,
        function: None,
        target: target(folder, about, files)?,
        config: Config {
            label: label::label(&about.options, shape.as_ref())
                .parse()
                .map_err(|error: InvalidName| error.to_string())?,
            options: about.options.clone(),
            constexprs: BTreeMap::new(),
            attributes,
            reconstruction: None,
        },
        status: BuildStatus::Ok,
        message: None,
        toolchain: about.toolchain.clone(),
        artifacts: Vec::new(),
        resources: about.resources.clone(),
        metrics: BTreeMap::new(),
    };
    Ok((build, shape.map(|shape| shape.constants).unwrap_or_default()))
}

/// Names the group file lists and the folder lacks.
fn missing(folder: &Folder<'_>, group: &str) -> Result<Vec<String>, String> {
    let value = folder.json(group)?;
    let children =
        value.get("child_paths").and_then(Value::as_object).ok_or(format!("{group} lists no child_paths"))?;
    Ok(children.keys().filter(|name| !folder.files.contains_key(*name)).cloned().collect())
}

/// Reads every entry of one folder; a folder without any is left out.
pub fn read(folder: &Folder<'_>, findings: &mut Findings) {
    let mut taken: Vec<String> = Vec::new();
    for name in folder.files.keys().filter(|name| !name.starts_with("__grp__")) {
        let Some(stem) = name.strip_suffix(".json") else { continue };
        let files = folder.artifacts(stem);
        let path = folder.path.join(name);
        let value = match folder.json(name) {
            Ok(value) if Metadata::is(&value) => value,
            // Caches hold other JSON too; without artifacts of its name it is not ours to judge.
            Ok(_) | Err(_) if files.is_empty() => continue,
            Ok(_) => {
                taken.push(name.clone());
                findings.fail(&path, "it names no function and target, so its artifacts belong to nothing");
                continue;
            }
            Err(reason) => {
                taken.push(name.clone());
                findings.fail(&path, reason);
                continue;
            }
        };
        let group = format!("__grp__{stem}.json");
        taken.extend([name.clone(), group.clone()]);
        if folder.refuse_unopened(stem, findings) {
            continue;
        }
        if files.is_empty() {
            findings.fail(&path, "no artifact of its name is beside it");
            continue;
        }
        if folder.files.contains_key(&group) {
            match missing(folder, &group) {
                Ok(names) => {
                    for name in names {
                        findings.fail(&folder.path.join(name), format!("{group} lists it, but it is not there"));
                    }
                }
                Err(reason) => findings.fail(&folder.path, reason),
            }
        }
        match Metadata::read(&value).and_then(|about| build(folder, &about, &files)) {
            Ok((build, constants)) => {
                taken.extend(files.iter().filter_map(|file| file_name(&file.path)));
                findings.builds.push(Found { build, files, folder: folder.path.clone(), derived: Some(constants) });
            }
            Err(reason) => findings.fail(&path, reason),
        }
    }
    folder.skip_rest(|name| taken.iter().any(|known| known == name), findings);
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(str::to_owned)
}
