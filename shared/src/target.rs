//! Target names and their hardware families.

use crate::ids::TargetName;

/// Which vendor a target belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vendor {
    /// `sm_…`.
    Nvidia,
    /// `gfx…`.
    Amd,
    /// Anything else.
    Other,
}

/// The vendor of a target, by the spelling its own tools use.
pub fn vendor(target: &TargetName) -> Vendor {
    let name = target.as_str();
    if name.starts_with("sm_") {
        Vendor::Nvidia
    } else if name.starts_with("gfx") {
        Vendor::Amd
    } else {
        Vendor::Other
    }
}

/// The hardware family of a target (`Hopper`, `CDNA3`); `""` when unknown.
///
/// NVIDIA: compute capability table of the CUDA C++ Programming Guide. AMD: LLVM's AMDGPU processor table.
pub fn hardware_family(target: &TargetName) -> &'static str {
    match target.as_str().trim_end_matches(['a', 'f']) {
        "sm_75" => "Turing",
        "sm_80" | "sm_86" | "sm_87" => "Ampere",
        "sm_89" => "Ada",
        "sm_90" => "Hopper",
        "sm_100" | "sm_101" | "sm_103" | "sm_110" => "Blackwell datacenter",
        "sm_120" | "sm_121" => "Blackwell consumer",
        "gfx90" => "CDNA2",
        "gfx942" => "CDNA3",
        "gfx950" => "CDNA4",
        name if name.starts_with("gfx11") => "RDNA3",
        name if name.starts_with("gfx120") => "RDNA4",
        _ => "",
    }
}

/// Where code of a target loads, and where not.
///
/// NVIDIA: CUDA C++ Programming Guide, "Binary compatibility" and "Architecture-specific features". AMD: LLVM's AMDGPU usage guide;
/// generic code objects aside.
pub fn arch_lock(target: &TargetName) -> Option<String> {
    let name = target.as_str();
    match vendor(target) {
        Vendor::Nvidia if name.ends_with('a') => {
            Some(format!("{name} only: neither code nor PTX loads on a later chip"))
        }
        Vendor::Nvidia if name.ends_with('f') => Some(format!("the family of {name} only")),
        Vendor::Nvidia => {
            Some(format!("{name} and later minor revisions of its generation; its PTX on all later chips"))
        }
        Vendor::Amd => Some(format!("{name} only")),
        Vendor::Other => None,
    }
}

/// A key that sorts targets as people list them: NVIDIA by number, then AMD.
pub fn sort_key(target: &TargetName) -> (Vendor, u32, String) {
    let digits: String = target.as_str().chars().filter(char::is_ascii_hexdigit).collect();
    let number = match vendor(target) {
        Vendor::Nvidia => target.as_str().chars().filter(char::is_ascii_digit).collect::<String>().parse(),
        _ => u32::from_str_radix(&digits, 16).map_or(Ok(u32::MAX), Ok::<_, std::num::ParseIntError>),
    };
    (vendor(target), number.unwrap_or(u32::MAX), target.as_str().to_owned())
}

/// Each target once, as people list them.
pub fn sorted(mut targets: Vec<TargetName>) -> Vec<TargetName> {
    targets.sort_by_key(sort_key);
    targets.dedup();
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_sort_by_vendor_and_number() {
        let mut names: Vec<TargetName> = ["gfx942", "sm_120a", "sm_80", "gfx90a", "sm_100a", "gfx950", "sm_90a"]
            .map(|name| name.parse().expect("a target"))
            .to_vec();
        names.extend(names.clone());
        let names = sorted(names);
        let names: Vec<&str> = names.iter().map(TargetName::as_str).collect();
        assert_eq!(names, ["sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950"]);
    }

    #[test]
    fn architecture_specific_code_is_locked() {
        let lock = |name: &str| arch_lock(&name.parse().expect("a target"));
        assert_eq!(lock("sm_90a").as_deref(), Some("sm_90a only: neither code nor PTX loads on a later chip"));
        assert!(lock("sm_80").is_some_and(|text| text.ends_with("its PTX on all later chips")));
        assert_eq!(lock("gfx942").as_deref(), Some("gfx942 only"));
        assert_eq!(lock("xe2"), None);
    }

    #[test]
    fn families_of_the_corpus_targets() {
        for (name, family) in
            [("sm_90a", "Hopper"), ("gfx90a", "CDNA2"), ("gfx950", "CDNA4"), ("sm_100a", "Blackwell datacenter")]
        {
            assert_eq!(hardware_family(&name.parse().expect("a target")), family);
        }
    }
}
