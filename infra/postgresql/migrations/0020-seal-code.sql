-- As before but for its code: the one it had is what the ledger of payments refuses by, whose refusals read as a log that had moved.
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
