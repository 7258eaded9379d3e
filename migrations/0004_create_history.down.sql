drop table finding_member;
drop table finding;
drop table commit_target;
drop table change_point;
