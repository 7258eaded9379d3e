//! What folders say about the builds of a dossier.

use std::{collections::BTreeMap, fs::File, io::Read as _};

use lowerline_analyzer::{Limits, occupancy};
use lowerline_shared::{
    dossier::{ArtifactFacts, Facts, Needs, Place},
    ids::Digest,
    stage::Stage,
};
use sha2::{Digest as _, Sha256};

use crate::find::{ArtifactFile, Findings, Found};

/// Reads what is needed of each build.
pub fn collect(needs: &Needs, findings: &Findings) -> BTreeMap<Place, Result<Facts, String>> {
    needs
        .iter()
        .map(|(place, stages)| {
            let facts = find(place, findings).and_then(|found| read(found, stages));
            (place.clone(), facts)
        })
        .collect()
}

/// The build of a place. A commit is the version of Triton, or a folder's name.
fn find<'a>(place: &Place, findings: &'a Findings) -> Result<&'a Found, String> {
    let is_named = |found: &&Found| {
        let build = &found.build;
        build.kernel == place.kernel && build.target == place.target && build.config.label == place.config
    };
    let is_of_commit = |found: &&Found| {
        place.commit.as_ref().is_none_or(|commit| {
            let version = found.build.toolchain.get("triton");
            version.is_some_and(|version| version == commit.as_str())
                || found.folder.components().any(|part| part.as_os_str() == commit.as_str())
        })
    };
    let mut builds = findings.builds.iter().filter(is_named).filter(is_of_commit);
    let found = builds.next().ok_or("no such build")?;
    if let Some(other) = builds.next() {
        return Err(format!(
            "two builds are called so, in {} and {}; say which `commit`",
            found.folder.display(),
            other.folder.display()
        ));
    }
    Ok(found)
}

/// Binaries are always read: they know registers and stack. What the compiler's metadata says wins over them.
fn read(found: &Found, stages: &BTreeMap<Stage, bool>) -> Result<Facts, String> {
    let mut facts = Facts {
        status: found.build.status,
        resources: BTreeMap::new(),
        toolchain: found.build.toolchain.clone(),
        metrics: found.build.metrics.clone(),
        artifacts: BTreeMap::new(),
    };
    for file in found.files.iter().filter(|file| file.form.is_empty()) {
        let is_binary = matches!(file.stage, Stage::Cubin | Stage::Hsaco);
        if !is_binary && !stages.contains_key(&file.stage) {
            continue;
        }
        let artifact = artifact(file).map_err(|reason| format!("cannot read {}: {reason}", file.path.display()))?;
        if is_binary {
            facts.resources.extend(artifact.report.resources.iter().map(|(resource, value)| (*resource, *value)));
        }
        facts.artifacts.insert(file.stage, artifact);
    }
    facts.resources.extend(&found.build.resources);
    occupancy::add(&found.build.target, &mut facts.resources);
    Ok(facts)
}

fn artifact(file: &ArtifactFile) -> Result<ArtifactFacts, String> {
    let limits = Limits::default();
    let mut bytes = Vec::new();
    let limit = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    let open = File::open(&file.path).map_err(|error| error.to_string())?;
    open.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let report = lowerline_analyzer::analyze_as(&bytes, file.stage, &limits).map_err(|error| error.to_string())?;
    let is_binary = matches!(file.stage, Stage::Cubin | Stage::Hsaco);
    Ok(ArtifactFacts {
        digest: Digest(Sha256::digest(&bytes).into()),
        lines: (!is_binary).then(|| ArtifactFacts::lines_of(&bytes)),
        report,
    })
}
