-- The newest backup of this log that was found whole, for the age that operators watch. In no backup itself.
alter table civic.installation add column backup_made_at bigint;
comment on column civic.installation.backup_made_at is 'When it was made, in milliseconds of the service''s clock since the epoch; null before the first.';
