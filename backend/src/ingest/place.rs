//! Puts a commit on its line.

use lowerline_shared::{
    api::PushRequest,
    ids::{CommitSha, Rev, shown},
};

use crate::{
    db::{
        self, Connection,
        commit::{HeldRow, LineRow, NewCommit},
    },
    error::{Refusal, Result},
    order::{Node, line},
};

/// The commit's id, and the ids of commits that got another predecessor by it.
pub async fn place(
    conn: &mut Connection,
    project_id: i32,
    push: &PushRequest,
    toolchain_id: i32,
) -> Result<(i32, Vec<i32>)> {
    let commit = &push.commit;
    let tag = commit.tag.as_ref().map(Rev::as_str);
    if let Some(tag) = tag
        && let Some(sha) = db::commit::find_tagged(conn, project_id, tag).await?
        && sha != commit.sha.as_str()
    {
        return Err(Refusal::conflict(format!("the tag {tag} is already at commit {sha}")).at("commit.tag").into());
    }
    let parents: Vec<String> = commit.parents.iter().map(|parent| parent.as_str().to_owned()).collect();
    let held = db::commit::find_held(conn, project_id, commit.sha.as_str()).await?;
    // A commit that is already on the line moves by its held time, whatever time this push names: only a new one may
    // go to the end unseen.
    let is_new = held.is_none();
    let id = if let Some(held) = held {
        if !fill(conn, &held, push, &parents).await? {
            return Ok((held.id, Vec::new()));
        }
        held.id
    } else {
        let new = NewCommit {
            project_id,
            sha: commit.sha.as_str(),
            parents: &parents,
            tag,
            branch: &commit.branch,
            author: commit.author.as_deref(),
            authored_at: commit.authored_at,
            committed_at: commit.committed_at,
            subject: &commit.subject,
            pull_request: commit.pull_request.and_then(|number| i32::try_from(number).ok()),
            toolchain_id,
        };
        db::commit::insert_commit(conn, &new).await?
    };
    let appended = if is_new { append(conn, project_id, push, id).await? } else { None };
    let mut moved = match appended {
        Some(moved) => moved,
        None => arrange(conn, project_id, &commit.branch).await?,
    };
    for offshoot in db::commit::list_offshoots(conn, project_id, &commit.branch, commit.sha.as_str()).await? {
        db::commit::set_places(conn, &[offshoot], &[0], &[Some(id)]).await?;
        moved.push(offshoot);
    }
    Ok((id, moved))
}

/// Takes over what the first push of the commit did not know. `true` when the order may be another by it.
async fn fill(conn: &mut Connection, held: &HeldRow, push: &PushRequest, parents: &[String]) -> Result<bool> {
    let commit = &push.commit;
    if held.branch != commit.branch {
        let message = format!("the commit is already on branch {}", shown(&held.branch));
        return Err(Refusal::conflict(message).at("commit.branch").into());
    }
    let tag = commit.tag.as_ref().map(Rev::as_str);
    if let (Some(held), Some(tag)) = (held.tag.as_deref(), tag)
        && held != tag
    {
        let message = format!("the commit already has the tag {held}");
        return Err(Refusal::conflict(message).at("commit.tag").into());
    }
    let is_new = held.parents.is_empty() && !parents.is_empty();
    if is_new || (held.tag.is_none() && tag.is_some()) {
        let parents = if is_new { parents } else { &held.parents };
        db::commit::fill_commit(conn, held.id, tag.or(held.tag.as_deref()), parents).await?;
    }
    Ok(is_new)
}

/// Puts the commit at the end of its line when it is newer than all others there and nobody's parent: then the order of
/// the others stays. `None` when the line has to be computed anew.
async fn append(conn: &mut Connection, project_id: i32, push: &PushRequest, id: i32) -> Result<Option<Vec<i32>>> {
    let commit = &push.commit;
    let end =
        db::commit::find_end(conn, project_id, &commit.branch, id, commit.committed_at, commit.sha.as_str()).await?;
    let Some(end) = end.filter(|end| end.is_before) else { return Ok(None) };
    db::commit::set_places(conn, &[id], &[end.position + 1], &[Some(end.id)]).await?;
    Ok(Some(vec![id]))
}

/// Computes the line anew and writes what differs. Returns the commits whose predecessor is another.
async fn arrange(conn: &mut Connection, project_id: i32, branch: &str) -> Result<Vec<i32>> {
    let rows = db::commit::list_line(conn, project_id, branch).await?;
    let nodes: Vec<Node> = rows
        .iter()
        .map(|row| Node {
            sha: row.sha.clone(),
            first_parent: row.first_parent.clone(),
            committed_at: row.committed_at,
        })
        .collect();
    let order = line(&nodes);
    let mut before = match order.first() {
        Some(&first) => root_predecessor(conn, project_id, &rows, &rows[first]).await?,
        None => None,
    };
    let (mut ids, mut positions, mut predecessors, mut moved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (position, &n) in order.iter().enumerate() {
        let row = &rows[n];
        let position = i32::try_from(position).map_err(anyhow::Error::from)?;
        if row.position != position || row.predecessor_id != before {
            ids.push(row.id);
            positions.push(position);
            predecessors.push(before);
        }
        // The first of a line may be preceded by a commit of another line or by nothing, before and after.
        if row.predecessor_id != before || (row.position == 0) != (position == 0) {
            moved.push(row.id);
        }
        before = Some(row.id);
    }
    db::commit::set_places(conn, &ids, &positions, &predecessors).await?;
    Ok(moved)
}

/// A line's first commit is compared with its first parent, when that is held on another line.
async fn root_predecessor(
    conn: &mut Connection,
    project_id: i32,
    line: &[LineRow],
    root: &LineRow,
) -> Result<Option<i32>> {
    let parent = root.first_parent.as_deref().and_then(|parent| parent.parse::<CommitSha>().ok());
    match parent {
        // A parent on the line itself is in a circle: see `order::line`.
        Some(parent) if line.iter().all(|row| row.sha != parent.as_str()) => {
            Ok(db::commit::find_commit_id(conn, project_id, parent.as_str()).await?)
        }
        _ => Ok(None),
    }
}
