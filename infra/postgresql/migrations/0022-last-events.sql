-- The last event that is behind a checkpoint, as JSON: its stream, revision, id and position. A log that does not have it has another history.
alter table civic.generations add column last_event jsonb;
alter table civic.reactors add column last_event jsonb;
