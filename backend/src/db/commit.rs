//! Commits and their lines.

use super::{Connection, Pool, Result};

/// A commit as pages show it.
#[derive(Clone, Debug)]
pub struct CommitRow {
    pub id: i32,
    pub sha: String,
    pub tag: Option<String>,
    pub position: i32,
    pub subject: String,
    pub author: Option<String>,
    pub committed_at: i64,
    pub branch: String,
    pub parent: Option<String>,
    pub parent_id: Option<i32>,
    pub toolchain_id: i32,
}

/// What may be filled in by a later push, and what decides the order.
#[derive(Clone, Debug)]
pub struct HeldRow {
    pub id: i32,
    pub branch: String,
    pub tag: Option<String>,
    pub parents: Vec<String>,
}

/// A commit as far as its order goes.
#[derive(Clone, Debug)]
pub struct LineRow {
    pub id: i32,
    pub sha: String,
    pub first_parent: Option<String>,
    pub committed_at: i64,
    pub position: i32,
    pub predecessor_id: Option<i32>,
}

/// The end of a line.
#[derive(Clone, Copy, Debug)]
pub struct EndRow {
    pub id: i32,
    pub position: i32,
    pub is_before: bool,
}

/// A new commit; its position is set afterwards.
#[derive(Debug)]
pub struct NewCommit<'a> {
    pub project_id: i32,
    pub sha: &'a str,
    pub parents: &'a [String],
    pub tag: Option<&'a str>,
    pub branch: &'a str,
    pub author: Option<&'a str>,
    pub authored_at: Option<i64>,
    pub committed_at: i64,
    pub subject: &'a str,
    pub pull_request: Option<i32>,
    pub toolchain_id: i32,
}

/// A commit that is already held.
pub async fn find_held(conn: &mut Connection, project_id: i32, sha: &str) -> Result<Option<HeldRow>> {
    sqlx::query_as!(
        HeldRow,
        "select id, branch, tag, parents from commit where project_id = $1 and sha = $2",
        project_id,
        sha
    )
    .fetch_optional(conn)
    .await
}

/// The commit that has a tag.
pub async fn find_tagged(conn: &mut Connection, project_id: i32, tag: &str) -> Result<Option<String>> {
    sqlx::query_scalar!("select sha from commit where project_id = $1 and tag = $2", project_id, tag)
        .fetch_optional(conn)
        .await
}

/// Makes a commit.
pub async fn insert_commit(conn: &mut Connection, new: &NewCommit<'_>) -> Result<i32> {
    sqlx::query_scalar!(
        "insert into commit (project_id, sha, parents, tag, branch, author, authored_at, committed_at, subject,
                             pull_request, toolchain_id, position)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, -1) returning id",
        new.project_id,
        new.sha,
        new.parents,
        new.tag,
        new.branch,
        new.author,
        new.authored_at,
        new.committed_at,
        new.subject,
        new.pull_request,
        new.toolchain_id
    )
    .fetch_one(conn)
    .await
}

/// Fills in what the first push of a commit did not know.
pub async fn fill_commit(conn: &mut Connection, id: i32, tag: Option<&str>, parents: &[String]) -> Result<()> {
    sqlx::query!("update commit set tag = $2, parents = $3 where id = $1", id, tag, parents)
        .execute(conn)
        .await
        .map(drop)
}

/// The last of the other commits of a line, and whether all of them come before a commit of this time and hash that is
/// none's first parent. `None` for an empty line.
pub async fn find_end(
    conn: &mut Connection,
    project_id: i32,
    branch: &str,
    id: i32,
    committed_at: i64,
    sha: &str,
) -> Result<Option<EndRow>> {
    let row = sqlx::query!(
        r#"select max(position) as position,
                  bool_and((committed_at, sha) < ($4, $5) and parents[1] is distinct from $5) as "is_before"
           from commit where project_id = $1 and branch = $2 and id <> $3"#,
        project_id,
        branch,
        id,
        committed_at,
        sha
    )
    .fetch_one(&mut *conn)
    .await?;
    let (Some(position), Some(is_before)) = (row.position, row.is_before) else { return Ok(None) };
    let id = sqlx::query_scalar!(
        "select id from commit where project_id = $1 and branch = $2 and position = $3 and id <> $4",
        project_id,
        branch,
        position,
        id
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(|id| EndRow { id, position, is_before }))
}

/// All commits of a line.
pub async fn list_line(conn: &mut Connection, project_id: i32, branch: &str) -> Result<Vec<LineRow>> {
    sqlx::query_as!(
        LineRow,
        "select id, sha, parents[1] as first_parent, committed_at, position, predecessor_id
         from commit where project_id = $1 and branch = $2",
        project_id,
        branch
    )
    .fetch_all(conn)
    .await
}

/// First commits of other lines that grow out of this commit.
pub async fn list_offshoots(conn: &mut Connection, project_id: i32, branch: &str, sha: &str) -> Result<Vec<i32>> {
    sqlx::query_scalar!(
        "select id from commit where project_id = $1 and branch <> $2 and position = 0 and parents[1] = $3",
        project_id,
        branch,
        sha
    )
    .fetch_all(conn)
    .await
}

/// The id of a commit by its full hash.
pub async fn find_commit_id(conn: &mut Connection, project_id: i32, sha: &str) -> Result<Option<i32>> {
    sqlx::query_scalar!("select id from commit where project_id = $1 and sha = $2", project_id, sha)
        .fetch_optional(conn)
        .await
}

/// Moves commits along their line.
pub async fn set_places(
    conn: &mut Connection,
    ids: &[i32],
    positions: &[i32],
    predecessors: &[Option<i32>],
) -> Result<()> {
    sqlx::query!(
        "update commit c set position = t.position, predecessor_id = t.predecessor_id
         from unnest($1::int[], $2::int[], $3::int[]) as t (id, position, predecessor_id) where c.id = t.id",
        ids,
        positions,
        predecessors as &[Option<i32>]
    )
    .execute(conn)
    .await
    .map(drop)
}

/// The line a project's pages show: `main`, else `master`, else the longest.
pub async fn find_main_branch(pool: &Pool, project_id: i32) -> Result<Option<String>> {
    let usual = sqlx::query_scalar!(
        "select b.name from unnest(array['main', 'master']) with ordinality as b (name, n)
         where exists (select from commit c where c.project_id = $1 and c.branch = b.name) order by b.n limit 1",
        project_id
    )
    .fetch_optional(pool)
    .await?
    .flatten();
    match usual {
        Some(branch) => Ok(Some(branch)),
        None => find_longest_branch(pool, project_id).await,
    }
}

/// Reads all commits: for projects that call their line something else.
async fn find_longest_branch(pool: &Pool, project_id: i32) -> Result<Option<String>> {
    sqlx::query_scalar!(
        "select branch from commit where project_id = $1 group by branch order by count(*) desc, branch limit 1",
        project_id
    )
    .fetch_optional(pool)
    .await
}

/// Branches of a project.
pub async fn list_branches(pool: &Pool, project_id: i32) -> Result<Vec<String>> {
    sqlx::query_scalar!(
        "select distinct branch from commit where project_id = $1 order by branch limit 1000",
        project_id
    )
    .fetch_all(pool)
    .await
}

/// A commit by full hash or tag; a hash wins.
pub async fn find_commit(pool: &Pool, project_id: i32, rev: &str) -> Result<Option<CommitRow>> {
    sqlx::query_as!(
        CommitRow,
        r#"select c.id as "id!", c.sha as "sha!", c.tag as "tag?", c.position as "position!", c.subject as "subject!",
                  c.author as "author?", c.committed_at as "committed_at!", c.branch as "branch!",
                  p.sha as "parent?", p.id as "parent_id?", c.toolchain_id as "toolchain_id!"
           from commit c left join commit p on p.id = c.predecessor_id
           where c.project_id = $1 and (c.sha = $2 or c.tag = $2) order by c.sha = $2 desc limit 1"#,
        project_id,
        rev
    )
    .fetch_optional(pool)
    .await
}

/// Commits of a line, newest first, below a position.
pub async fn list_commits(
    pool: &Pool,
    project_id: i32,
    branch: &str,
    before: i32,
    limit: i64,
) -> Result<Vec<CommitRow>> {
    sqlx::query_as!(
        CommitRow,
        r#"select c.id as "id!", c.sha as "sha!", c.tag as "tag?", c.position as "position!", c.subject as "subject!",
                  c.author as "author?", c.committed_at as "committed_at!", c.branch as "branch!",
                  p.sha as "parent?", p.id as "parent_id?", c.toolchain_id as "toolchain_id!"
           from commit c left join commit p on p.id = c.predecessor_id
           where c.project_id = $1 and c.branch = $2 and c.position < $3
           order by c.position desc limit $4"#,
        project_id,
        branch,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Commits of a line at these positions, oldest first.
pub async fn list_commits_at(pool: &Pool, project_id: i32, branch: &str, positions: &[i32]) -> Result<Vec<CommitRow>> {
    sqlx::query_as!(
        CommitRow,
        r#"select c.id as "id!", c.sha as "sha!", c.tag as "tag?", c.position as "position!", c.subject as "subject!",
                  c.author as "author?", c.committed_at as "committed_at!", c.branch as "branch!",
                  p.sha as "parent?", p.id as "parent_id?", c.toolchain_id as "toolchain_id!"
           from commit c left join commit p on p.id = c.predecessor_id
           where c.project_id = $1 and c.branch = $2 and c.position = any($3) order by c.position"#,
        project_id,
        branch,
        positions
    )
    .fetch_all(pool)
    .await
}

/// How many commits a line has.
pub async fn count_line(pool: &Pool, project_id: i32, branch: &str) -> Result<i32> {
    sqlx::query_scalar!(
        r#"select coalesce(max(position) + 1, 0) as "count!" from commit where project_id = $1 and branch = $2"#,
        project_id,
        branch
    )
    .fetch_one(pool)
    .await
}

/// The newest commit of a line; `None` when it has none.
pub async fn find_newest(pool: &Pool, project_id: i32, branch: &str) -> Result<Option<CommitRow>> {
    Ok(list_commits(pool, project_id, branch, i32::MAX, 1).await?.pop())
}
