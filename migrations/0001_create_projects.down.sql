drop table push;
drop table commit;
drop table toolchain;
drop table token;
drop table project;
