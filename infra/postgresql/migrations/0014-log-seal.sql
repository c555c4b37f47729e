-- There is a row once the log has moved to another store: who still appends here, because it was not stopped, is refused and loses nothing.
create table civic.log_seal (
  singleton boolean primary key default true check (singleton),
  sealed_at bigint not null
);

-- As before, and refuses a sealed log to everybody but the command that brings the log back.
create or replace function civic.lock_log() returns bigint language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'appending needs the isolation level read committed';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(4848250413820917);
  if exists (select from civic.log_seal) and coalesce(current_setting('civic.copies_log', true), '') <> 'on' then
    raise exception 'the log has moved to another store' using errcode = 'CR004';
  end if;
  return (select coalesce(max(position), 0) from civic.events);
end
$$;
