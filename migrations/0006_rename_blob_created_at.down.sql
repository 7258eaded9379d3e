alter table blob rename column asked_at to created_at;
