//! Series → chart. `lowerline_shared::plot` says what is drawn, [`figure`] says it in plotly's words, [`plotly`] loads
//! the library and hands it over, [`cell`] is one chart on the page.

pub mod cell;
pub mod figure;
pub mod plotly;
pub mod png;
