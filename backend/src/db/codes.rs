//! Families and resources as the small numbers that rows hold. Numbers stay when the taxonomy grows or is reordered.

use std::collections::HashMap;

use lowerline_shared::{family::Family, report::Resource};

use super::{Pool, Result};

/// Both directions, read once per process.
#[derive(Debug, Default)]
pub struct Codes {
    family_of: HashMap<i16, Family>,
    code_of_family: HashMap<Family, i16>,
    resource_of: HashMap<i16, Resource>,
    code_of_resource: HashMap<Resource, i16>,
}

impl Codes {
    /// Gives every name of this version a number and reads all of them.
    pub async fn load(pool: &Pool) -> Result<Self> {
        let families: Vec<String> = Family::ALL.into_iter().map(|family| family.id().to_owned()).collect();
        let resources: Vec<String> = Resource::ALL.into_iter().map(|resource| resource.id().to_owned()).collect();
        insert_families(pool, &families).await?;
        insert_resources(pool, &resources).await?;
        let mut codes = Self::default();
        for (id, name) in list_families(pool).await? {
            // A name without a family is one that a newer or older taxonomy has.
            if let Some(family) = Family::from_id(&name) {
                codes.family_of.insert(id, family);
                codes.code_of_family.insert(family, id);
            }
        }
        for (id, name) in list_resources(pool).await? {
            if let Some(resource) = Resource::from_id(&name) {
                codes.resource_of.insert(id, resource);
                codes.code_of_resource.insert(resource, id);
            }
        }
        Ok(codes)
    }

    /// The family of a number; `None` for one that this version does not have.
    pub fn family(&self, code: i16) -> Option<Family> {
        self.family_of.get(&code).copied()
    }

    /// The number of a family.
    ///
    /// # Panics
    /// Never: `load` gave every family of this version a number.
    pub fn of_family(&self, family: Family) -> i16 {
        *self.code_of_family.get(&family).expect("`load` gave every family of this version a number")
    }

    /// Splits resources into the two arrays that rows hold, in order of number.
    ///
    /// # Panics
    /// Never: `load` gave every resource of this version a number.
    pub fn split(&self, resources: &std::collections::BTreeMap<Resource, i64>) -> (Vec<i16>, Vec<i64>) {
        let mut pairs: Vec<(i16, i64)> = resources
            .iter()
            .map(|(resource, &value)| {
                let code = self.code_of_resource.get(resource);
                (*code.expect("`load` gave every resource of this version a number"), value)
            })
            .collect();
        pairs.sort_unstable();
        pairs.into_iter().unzip()
    }

    /// The reverse of [`Self::split`]; numbers of other versions are left out.
    pub fn join(&self, codes: &[i16], values: &[i64]) -> std::collections::BTreeMap<Resource, i64> {
        codes.iter().zip(values).filter_map(|(code, &value)| Some((*self.resource_of.get(code)?, value))).collect()
    }

    /// One value of what [`Self::split`] made; `None` where the row does not hold the resource.
    pub fn value(&self, codes: &[i16], values: &[i64], resource: Resource) -> Option<i64> {
        let wanted = self.code_of_resource.get(&resource)?;
        codes.iter().zip(values).find(|(code, _)| *code == wanted).map(|(_, &value)| value)
    }
}

async fn insert_families(pool: &Pool, names: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into family (name) select name from unnest($1::text[]) as t (name)
         where not exists (select from family f where f.name = t.name) on conflict do nothing",
        names
    )
    .execute(pool)
    .await
    .map(drop)
}

async fn insert_resources(pool: &Pool, names: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into resource (name) select name from unnest($1::text[]) as t (name)
         where not exists (select from resource r where r.name = t.name) on conflict do nothing",
        names
    )
    .execute(pool)
    .await
    .map(drop)
}

async fn list_families(pool: &Pool) -> Result<Vec<(i16, String)>> {
    let rows = sqlx::query!("select id, name from family").fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

async fn list_resources(pool: &Pool) -> Result<Vec<(i16, String)>> {
    let rows = sqlx::query!("select id, name from resource").fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}
