//! The program from outside: arguments in; stdout, stderr, exit code and requests out.

mod cache;
mod commit;
mod corpus;
mod dossier;
mod hostile;
mod inspect;
mod network;
mod settings;
mod world;
