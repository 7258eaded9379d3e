-- When somebody last sent it or was told that it is held: what `gc` spares a day is not only what is new.
alter table blob rename column created_at to asked_at;
