//! `token create`, `token list`, `token revoke`.

use crate::{
    config::TokenCommand,
    db::{self, Pool},
    token::Secret,
};

/// Prints the token, and nothing else, on standard output.
pub async fn run(pool: &Pool, command: &TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create { project, name, repository, days } => {
            let project_id = db::project::insert_project(pool, project.as_str(), repository.as_deref()).await?;
            let secret = Secret::generate().map_err(|error| anyhow::anyhow!(error))?;
            let days = i32::try_from(*days)?;
            db::token::insert_token(pool, project_id, name, secret.shown(), &secret.hash(), days).await?;
            println!("{}", secret.reveal());
            Ok(())
        }
        TokenCommand::List { project } => {
            let id = find(pool, project.as_str()).await?;
            for row in db::token::list_tokens(pool, id).await? {
                let time = |at: Option<i64>| at.map_or_else(|| "-".to_owned(), |at| at.to_string());
                println!(
                    "{}\tcreated {}\texpires {}\tused {}\trevoked {}\t{}",
                    row.prefix,
                    row.created_at,
                    time(row.expires_at),
                    time(row.last_used_at),
                    time(row.revoked_at),
                    lowerline_shared::ids::shown(&row.name)
                );
            }
            Ok(())
        }
        TokenCommand::Revoke { project, prefix } => {
            let id = find(pool, project.as_str()).await?;
            let revoked = db::token::revoke_tokens(pool, id, prefix).await?;
            anyhow::ensure!(revoked > 0, "no good token of {project} starts with {prefix}; `token list` shows them");
            eprintln!("revoked {revoked}");
            Ok(())
        }
    }
}

async fn find(pool: &Pool, slug: &str) -> anyhow::Result<i32> {
    db::project::find_project(pool, slug).await?.ok_or_else(|| anyhow::anyhow!("there is no project {slug}"))
}
