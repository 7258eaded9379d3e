-- Decisions of the compiler by name, a number or a word each. Of a report, what its blob shows; of a profile, what its blobs show
-- together. Existing rows are filled by `reparse --all`.
alter table report add column decision jsonb not null default '{}';
alter table profile add column decision jsonb not null default '{}';
