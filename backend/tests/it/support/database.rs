//! One private Postgres per test process, kept for the next run; one database per test, cloned from a migrated one.

use std::{
    fs,
    path::Path,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use lowerline_backend::db;
use lowerline_postgres::{Binaries, Cluster, Error};
use sha2::{Digest as _, Sha256};

static CLUSTER: OnceLock<Cluster> = OnceLock::new();
static TEMPLATE: Mutex<Option<String>> = Mutex::new(None);
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The cluster of this process. Test runners that start a process per test need several at once: the first folder that
/// nobody uses is taken.
pub fn cluster() -> &'static Cluster {
    CLUSTER.get_or_init(|| {
        let binaries = Binaries::locate().unwrap();
        for n in 0.. {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("postgres-{n}"));
            match Cluster::start(&folder, &binaries) {
                Ok(cluster) => return cluster,
                Err(Error::InUse { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        unreachable!("a folder is free")
    })
}

/// The address of an empty database with the current schema.
pub async fn fresh() -> String {
    let cluster = tokio::task::spawn_blocking(cluster).await.unwrap();
    let admin = db::pool(&cluster.url("postgres")).unwrap();
    let template = template(cluster, &admin).await;
    drop_old_databases(&admin).await;
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    run(&admin, &format!("drop database if exists {name} with (force)")).await;
    run(&admin, &format!("create database {name} template {template}")).await;
    admin.close().await;
    cluster.url(&name)
}

/// A database with this version's schema, named by its migrations: made once and kept.
async fn template(cluster: &Cluster, admin: &db::Pool) -> String {
    if let Some(name) = TEMPLATE.lock().unwrap().clone() {
        return name;
    }
    let name = format!("template_{}", hash_of_migrations());
    // Tests of one process that come here at once take turns.
    let mut lock = admin.acquire().await.unwrap();
    sqlx::raw_sql("set statement_timeout = 0; select pg_advisory_lock(1)").execute(&mut *lock).await.unwrap();
    let is_there: Option<i32> = sqlx::query_scalar("select 1 from pg_database where datname = $1 and datistemplate")
        .bind(&name)
        .fetch_optional(admin)
        .await
        .unwrap();
    if is_there.is_none() {
        // What is in here may be lost with the machine: making and dropping databases is most of the work.
        for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
            run(admin, &format!("alter system set {setting} = off")).await;
        }
        run(admin, "select pg_reload_conf()").await;
        run(admin, &format!("drop database if exists {name} with (force)")).await;
        run(admin, &format!("create database {name}")).await;
        let pool = db::pool(&cluster.url(&name)).unwrap();
        db::migrate::up(&pool).await.unwrap();
        pool.close().await;
        run(admin, &format!("alter database {name} is_template true")).await;
    }
    lock.close().await.unwrap();
    *TEMPLATE.lock().unwrap() = Some(name.clone());
    name
}

/// A few at a time: every test leaves one, and no test should wait long for others'.
async fn drop_old_databases(admin: &db::Pool) {
    let old: Vec<String> = sqlx::query_scalar(
        "select d.datname::text from pg_database d where d.datname like 'test\\_%'
         and not exists (select from pg_stat_activity a where a.datname = d.datname)
         and d.datname not like $1 limit 2",
    )
    .bind(format!("test\\_{}\\_%", std::process::id()))
    .fetch_all(admin)
    .await
    .unwrap();
    for name in old {
        let drop = format!("drop database if exists {name}");
        // Another test may be dropping the same one.
        sqlx::raw_sql(sqlx::AssertSqlSafe(drop)).execute(admin).await.ok();
    }
}

async fn run(pool: &db::Pool, statement: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(pool).await.unwrap();
}

fn hash_of_migrations() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(fs::read(file).unwrap());
    }
    lowerline_shared::ids::Digest(hasher.finalize().into()).to_string()[..16].to_owned()
}
