-- Every search reads all entries that wait for their place in its indexes. Up to 4 MB of them waited in those that were made before.
-- Older processes search, fold and drop generations meanwhile: both indexes are locked at once or not at all, for less time than
-- PostgreSQL waits before it looks for a deadlock. Where a session does not give them free, they stay as they are until they are built again.
do $$
declare
  given text := current_setting('lock_timeout');
  waiting text[] := array(
    select c.oid::regclass::text from pg_class c join pg_am a on a.oid = c.relam
    where c.relkind = 'i' and c.relnamespace = 'civic'::regnamespace and a.amname = 'gin'
  );
  each text;
begin
  foreach each in array waiting loop
    perform gin_clean_pending_list(to_regclass(each));
  end loop;
  set local lock_timeout = '100ms';
  for attempt in 1..50 loop
    begin
      foreach each in array waiting loop
        execute format('alter index if exists %s set (gin_pending_list_limit = 256)', each);
      end loop;
      exit;
    exception when lock_not_available then
      perform pg_sleep(0.05);
    end;
  end loop;
  perform set_config('lock_timeout', given, true);
end
$$;
