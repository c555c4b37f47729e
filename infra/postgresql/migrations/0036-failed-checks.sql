-- Number of syncs in a row that could not read the source as a whole.
alter table civic.source_checks add column failures integer not null default 0;
update civic.source_checks set failures = 1 where failure is not null;
