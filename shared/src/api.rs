//! Request and response bodies of `/api/v1`.
//!
//! | method and path below `/api/v1` | body → answer |
//! | --- | --- |
//! | `GET /projects` | → [`Vec<ProjectSummary>`] |
//! | `GET /projects/{project}` | → [`ProjectDetail`] |
//! | `GET /projects/{project}/commits?before=&limit=` | → [`Vec<CommitRow>`], newest first |
//! | `GET /projects/{project}/commits/{rev}` | → [`CommitDetail`] |
//! | `GET /projects/{project}/measures?kernel=&q=` | → [`Vec<MeasureHit>`] |
//! | `GET /projects/{project}/trends?…` ([`crate::permalink::TrendsQuery`]) | → [`TrendResponse`] |
//! | `GET /projects/{project}/trends/chart.svg?…` | → the same as SVG, with `theme=dark` in light ink |
//! | `GET /projects/{project}/compare/{a}...{b}?…` ([`crate::permalink::CompareQuery`]) | → [`CompareResponse`] |
//! | `GET /projects/{project}/kernels/{kernel}/lowering?…` ([`crate::permalink::LoweringQuery`]) | → [`LoweringResponse`] |
//! | `GET /projects/{project}/kernels/{kernel}/space?…` ([`crate::permalink::SpaceQuery`]) | → [`SpaceResponse`] |
//! | `GET /blobs/{digest}`, `GET /blobs/{digest}/report` | → bytes, [`crate::report::Report`] |
//! | `POST /projects/{project}/blobs/missing` | [`DigestsRequest`] → [`MissingResponse`] |
//! | `PUT /projects/{project}/blobs/{digest}` | bytes, identity or zstd → [`BlobStored`] |
//! | `POST /projects/{project}/pushes` | [`PushRequest`] → [`PushResponse`] |

mod lowering;
mod push;
mod read;
mod space;

use std::collections::BTreeMap;

pub use lowering::*;
pub use push::*;
pub use read::*;
pub use space::*;

/// Tool → version: `triton`, `llvm`, `ptxas`, `nvdisasm`, …
pub type Toolchain = BTreeMap<String, String>;
