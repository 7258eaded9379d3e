create table kernel (
    id int generated always as identity primary key,
    project_id int not null references project on delete cascade,
    -- What URLs call it: the name, or a hash of it when it is long.
    key text not null,
    name text not null,
    unique (project_id, key)
);

create table target (
    id int generated always as identity primary key,
    name text not null unique
);

create table variant (
    id int generated always as identity primary key,
    kernel_id int not null references kernel on delete cascade,
    target_id int not null references target,
    config text not null,
    unique (kernel_id, target_id, config)
);

create table config (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    body jsonb not null
);

-- What of a build can be counted: two builds with one profile are unchanged to each other.
create table profile (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    status text not null check (status in ('ok', 'error', 'crash')),
    message text,
    ptx_id int references histogram,
    machine_id int references histogram,
    resource smallint[] not null default '{}',
    resource_value bigint[] not null default '{}'
);
create index profile_ptx on profile (ptx_id);
create index profile_machine on profile (machine_id);

-- What one compile gave. Shared by all builds that gave the same, so that an unchanged build is one narrow row.
create table lowering (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    profile_id int not null references profile,
    -- As pushed with the build; what the blobs say comes on top.
    resource smallint[] not null default '{}',
    resource_value bigint[] not null default '{}'
);

create index lowering_profile on lowering (profile_id);

create table artifact (
    lowering_id int not null references lowering on delete cascade,
    stage text not null,
    form text not null,
    blob_id int not null references blob,
    primary key (lowering_id, stage, form)
);
create index artifact_blob on artifact (blob_id);

create table build (
    commit_id int not null references commit on delete cascade,
    variant_id int not null references variant,
    lowering_id int not null references lowering,
    toolchain_id int not null references toolchain,
    config_id int not null references config,
    primary key (commit_id, variant_id)
);

create table metric (
    commit_id int not null,
    variant_id int not null,
    name text not null,
    value double precision not null,
    primary key (variant_id, name, commit_id),
    foreign key (commit_id, variant_id) references build on delete cascade
);
create index metric_commit on metric (commit_id);
