drop table report;
drop table family_count;
drop table opcode_count;
drop table histogram;
drop table opcode;
drop table blob;
drop table resource;
drop table family;
