//! The schema and its versions.

use sqlx::migrate::{MigrateError, Migrator};

use super::{Pool, Result};

static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// What the database's schema is to this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The one compiled in.
    Current,
    /// Older: to be migrated.
    Behind,
    /// Newer than this version knows.
    Ahead,
}

/// Brings the schema up to this version.
pub async fn up(pool: &Pool) -> std::result::Result<(), MigrateError> {
    MIGRATOR.run(pool).await
}

/// Undoes every migration above `version`.
pub async fn down(pool: &Pool, version: i64) -> std::result::Result<(), MigrateError> {
    MIGRATOR.undo(pool, version).await
}

/// Compares the schema with the one compiled in.
pub async fn schema(pool: &Pool) -> Result<Schema> {
    let newest = MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or(0);
    if !has_versions(pool).await? {
        return Ok(Schema::Behind);
    }
    let found = get_version(pool).await?;
    Ok(match found.cmp(&newest) {
        std::cmp::Ordering::Less => Schema::Behind,
        std::cmp::Ordering::Equal => Schema::Current,
        std::cmp::Ordering::Greater => Schema::Ahead,
    })
}

async fn has_versions(pool: &Pool) -> Result<bool> {
    sqlx::query_scalar!(r#"select to_regclass('_sqlx_migrations') is not null as "has!""#).fetch_one(pool).await
}

async fn get_version(pool: &Pool) -> Result<i64> {
    // Not a checked query: the table is made by the migrator, so a database made for checking may lack it.
    sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations where success").fetch_one(pool).await
}
