-- Every search reads all entries that wait for their place in its indexes. Up to 4 MB of them waited in those that were made before.
do $$
declare
  waiting regclass;
begin
  for waiting in
    select c.oid from pg_class c join pg_am a on a.oid = c.relam
    where c.relkind = 'i' and c.relnamespace = 'civic'::regnamespace and a.amname = 'gin'
  loop
    execute format('alter index %s set (gin_pending_list_limit = 256)', waiting);
    perform gin_clean_pending_list(waiting);
  end loop;
end
$$;
