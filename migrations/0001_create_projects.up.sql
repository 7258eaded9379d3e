create table project (
    id int generated always as identity primary key,
    slug text not null unique,
    repository text,
    created_at timestamptz not null default now()
);

create table token (
    id int generated always as identity primary key,
    project_id int not null references project on delete cascade,
    name text not null,
    -- The first characters, to tell tokens apart in lists. The secret itself is held as its SHA-256 only.
    prefix text not null,
    hash bytea not null unique check (length(hash) = 32),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);

create table toolchain (
    id int generated always as identity primary key,
    digest bytea not null unique check (length(digest) = 32),
    versions jsonb not null
);

create table commit (
    id int generated always as identity primary key,
    project_id int not null references project on delete cascade,
    sha text not null,
    parents text[] not null,
    tag text,
    branch text not null,
    author text,
    authored_at bigint,
    committed_at bigint not null,
    subject text not null,
    pull_request int,
    toolchain_id int not null references toolchain,
    -- From 0 along the line of its branch: a pure function of the commits held, whatever order they came in.
    position int not null,
    -- The commit before it on that line; without one, its first parent when that is held on another branch.
    predecessor_id int references commit,
    unique (project_id, sha),
    unique (project_id, tag)
);
create index commit_line on commit (project_id, branch, position);
create index commit_predecessor on commit (predecessor_id);

-- The answer of every push, so that the same push is answered the same however often it comes.
create table push (
    project_id int not null references project on delete cascade,
    digest bytea not null check (length(digest) = 32),
    commit_id int not null references commit on delete cascade,
    answer jsonb not null,
    created_at timestamptz not null default now(),
    primary key (project_id, digest)
);
