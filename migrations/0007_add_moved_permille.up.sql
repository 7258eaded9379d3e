-- Of the changed builds of a target, the one whose machine instructions moved most: the sum of the differences by family,
-- padding left out, as a share of what the parent's build had. Existing rows are filled by `reparse --all`.
alter table commit_target add column moved_permille int not null default 0;
