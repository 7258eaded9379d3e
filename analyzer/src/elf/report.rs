//! Reports of the two containers: resources and toolchain. Instructions come from the decoder or from text.

use lowerline_shared::{
    report::{Report, Resource},
    stage::Stage,
};

use super::{Cubin, ElfError, Hsaco};
use crate::normal;

/// The report of a cubin. With several kernels every resource is the largest one's, and a warning says so.
pub fn cubin_report(bytes: &[u8]) -> Result<Report, ElfError> {
    let cubin = Cubin::parse(bytes)?;
    let mut report = Report::new(crate::VERSION, Stage::Cubin);
    for kernel in &cubin.kernels {
        raise(&mut report, Resource::Registers, kernel.registers.map(i64::from));
        let stack = kernel.stack_bytes.or(kernel.frame_bytes).filter(|_| !kernel.unbounded_stack);
        raise(&mut report, Resource::StackBytes, stack.map(i64::from));
        raise(&mut report, Resource::Barriers, kernel.barriers.map(i64::from));
        raise(&mut report, Resource::StaticSharedBytes, kernel.shared_bytes.and_then(|size| i64::try_from(size).ok()));
        raise(&mut report, Resource::Threads, kernel.threads.and_then(|threads| i64::try_from(threads).ok()));
        raise(&mut report, Resource::CodeBytes, i64::try_from(kernel.code_bytes).ok());
    }
    several(&mut report, cubin.kernels.len());
    let unbounded = cubin.kernels.iter().filter(|kernel| kernel.unbounded_stack).count();
    if unbounded > 0 {
        report.warnings.push(format!(
            "stack bytes of {unbounded} of {} kernels are unknown: recursion and calls by address have no bound",
            cubin.kernels.len()
        ));
    }
    report.target = Some(cubin.target);
    if let Some(version) = cubin.toolkit.and_then(|toolkit| toolkit.version) {
        report.toolchain.insert("ptxas".to_owned(), version);
    }
    Ok(report)
}

/// The report of an hsaco. With several kernels every resource is the largest one's, and a warning says so.
pub fn hsaco_report(bytes: &[u8]) -> Result<Report, ElfError> {
    let hsaco = Hsaco::parse(bytes)?;
    let mut report = Report::new(crate::VERSION, Stage::Hsaco);
    for kernel in &hsaco.kernels {
        raise(&mut report, Resource::Registers, kernel.vgprs);
        raise(&mut report, Resource::AccumulatorRegisters, kernel.agprs);
        raise(&mut report, Resource::ScalarRegisters, kernel.sgprs);
        raise(&mut report, Resource::VectorSpills, kernel.vgpr_spills);
        raise(&mut report, Resource::ScalarSpills, kernel.sgpr_spills);
        raise(&mut report, Resource::StaticSharedBytes, kernel.lds_bytes);
        raise(&mut report, Resource::StackBytes, kernel.private_bytes);
    }
    if hsaco.kernels.is_empty() {
        report.warnings.push("no kernel metadata: registers and LDS are not known".to_owned());
    }
    raise(&mut report, Resource::CodeBytes, i64::try_from(hsaco.code.len()).ok());
    several(&mut report, hsaco.kernels.len());
    report.target = hsaco.target;
    report.normal_digest = Some(normal::counts::of_bytes(&report, hsaco.code));
    Ok(report)
}

fn raise(report: &mut Report, resource: Resource, value: Option<i64>) {
    if let Some(value) = value {
        report.resources.entry(resource).and_modify(|known| *known = (*known).max(value)).or_insert(value);
    }
}

/// Says that resources are not of one kernel.
pub(crate) fn several(report: &mut Report, kernels: usize) {
    if kernels > 1 {
        report.warnings.push(format!("{kernels} kernels: each resource is the largest of them"));
    }
}
