-- One row where a variant's profile differs from the one at the commit before on the line. A null profile says that it
-- was not built there; a failed build has a profile of its own. Keyed by commit, not by position, so that a commit that
-- comes late moves no row but those of its neighbours.
create table change_point (
    variant_id int not null references variant on delete cascade,
    commit_id int not null references commit on delete cascade,
    profile_id int references profile,
    primary key (variant_id, commit_id)
);
create index change_point_commit on change_point (commit_id);
create index change_point_profile on change_point (profile_id);

-- Sums over the builds of a commit, for lists of commits.
create table commit_target (
    commit_id int not null references commit on delete cascade,
    target_id int not null references target,
    builds int not null,
    failed int not null,
    changed int not null,
    added int not null,
    primary key (commit_id, target_id)
);

create table finding (
    id int generated always as identity primary key,
    project_id int not null references project on delete cascade,
    commit_id int not null references commit on delete cascade,
    -- Which measures moved and in which direction: equal for all members.
    signature bytea not null check (length(signature) = 32),
    title text not null,
    state text not null default 'open' check (state in ('open', 'accepted', 'dismissed')),
    note text,
    created_at timestamptz not null default now(),
    unique (commit_id, signature)
);

create table finding_member (
    finding_id int not null references finding on delete cascade,
    variant_id int not null references variant on delete cascade,
    primary key (finding_id, variant_id)
);
