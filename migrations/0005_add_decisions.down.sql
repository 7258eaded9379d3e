alter table profile drop column decision;
alter table report drop column decision;
