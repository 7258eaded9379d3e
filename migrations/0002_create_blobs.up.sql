-- Names with a number that stays when the taxonomy grows.
create table family (
    id smallint generated always as identity primary key,
    name text not null unique
);

create table resource (
    id smallint generated always as identity primary key,
    name text not null unique
);

create table blob (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    size_bytes bigint not null,
    created_at timestamptz not null default now()
);

create table opcode (
    id int generated always as identity primary key,
    stage text not null,
    name text not null,
    unique (stage, name)
);

-- The identity of a lowering: blobs that differ in text but not in counts share one.
create table histogram (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    stage text not null,
    -- `text`, `decoded`, …: where the counts come from.
    source text
);

create table opcode_count (
    histogram_id int not null references histogram on delete cascade,
    opcode_id int not null references opcode,
    family_id smallint not null references family,
    in_function int not null,
    in_loop int not null,
    in_hot int not null,
    primary key (histogram_id, opcode_id, family_id)
);
create index opcode_count_opcode on opcode_count (opcode_id, histogram_id);

-- Derived from `opcode_count`: one row per histogram, because a comparison reads thousands of them at once.
create table family_count (
    histogram_id int primary key references histogram on delete cascade,
    family smallint[] not null,
    in_function int[] not null,
    in_loop int[] not null,
    in_hot int[] not null
);

create table report (
    blob_id int primary key references blob on delete cascade,
    analyzer int not null,
    -- By content; null when nothing was recognised, with the reason among the warnings.
    stage text,
    target text,
    normal_digest bytea,
    histogram_id int references histogram,
    resource smallint[] not null default '{}',
    resource_value bigint[] not null default '{}',
    warnings text[] not null default '{}',
    -- The whole report as JSON, zstd compressed.
    body bytea
);
create index report_histogram on report (histogram_id);
create index report_analyzer on report (analyzer);
