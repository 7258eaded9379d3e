alter table commit_target drop column moved_permille;
