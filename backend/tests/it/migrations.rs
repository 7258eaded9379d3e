//! Migrations go up, down and up again.

use lowerline_backend::db::{self, migrate::Schema};

use crate::support::{
    Server,
    corpus::{manifest, ptx, ptx_build, sha},
};

#[tokio::test]
async fn migrations_up_down_up_with_data() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)])).await;
    let pool = &server.state.pool;
    assert_eq!(db::migrate::schema(pool).await.unwrap(), Schema::Current);
    db::migrate::down(pool, 0).await.unwrap();
    assert_eq!(db::migrate::schema(pool).await.unwrap(), Schema::Behind);
    db::migrate::up(pool).await.unwrap();
    assert_eq!(db::migrate::schema(pool).await.unwrap(), Schema::Current);
}
