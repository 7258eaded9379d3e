//! Projects.

use super::{Connection, Pool, Result};

/// A project with its sums.
#[derive(Debug)]
pub struct ProjectRow {
    /// Row.
    pub id: i32,
    /// Slug.
    pub slug: String,
    /// Address of the repository, when known.
    pub repository: Option<String>,
    /// Commits held.
    pub commits: i64,
    /// Kernels.
    pub kernels: i64,
    /// Targets, in no order.
    pub targets: Vec<String>,
}

/// The id of a project.
pub async fn find_project(pool: &Pool, slug: &str) -> Result<Option<i32>> {
    sqlx::query_scalar!("select id from project where slug = $1", slug).fetch_optional(pool).await
}

/// The id of a project, made when there is none.
pub async fn insert_project(pool: &Pool, slug: &str, repository: Option<&str>) -> Result<i32> {
    sqlx::query_scalar!(
        "insert into project (slug, repository) values ($1, $2)
         on conflict (slug) do update set repository = coalesce(excluded.repository, project.repository)
         returning id",
        slug,
        repository
    )
    .fetch_one(pool)
    .await
}

/// Projects by slug; one when `slug` is given.
pub async fn list_projects(pool: &Pool, slug: Option<&str>) -> Result<Vec<ProjectRow>> {
    sqlx::query_as!(
        ProjectRow,
        r#"select p.id, p.slug, p.repository,
                  (select count(*) from commit c where c.project_id = p.id) as "commits!",
                  (select count(*) from kernel k where k.project_id = p.id) as "kernels!",
                  array(select distinct t.name from kernel k join variant v on v.kernel_id = k.id
                        join target t on t.id = v.target_id where k.project_id = p.id) as "targets!"
           from project p where $1::text is null or p.slug = $1 order by p.slug limit 1000"#,
        slug
    )
    .fetch_all(pool)
    .await
}

/// Makes pushes to one project wait for each other until the transaction ends: positions along the line depend on all
/// commits held.
pub async fn lock_project(conn: &mut Connection, id: i32) -> Result<()> {
    sqlx::query_scalar!("select id from project where id = $1 for no key update", id).fetch_one(conn).await.map(drop)
}
