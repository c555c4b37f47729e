-- Builds of the record history that were made before fingerprints: their rows have none, and cursors that are read from them carry none, until
-- a build of the new version has taken their place.
do $$
declare
  build record;
begin
  for build in select generation from civic.generations where projection = 'record_history'
    and to_regclass(format('civic.record_history_g%s', generation)) is not null
  loop
    execute format('alter table civic.record_history_g%s add column if not exists fingerprint bytea', build.generation);
    execute format('alter table civic.record_history_state_g%s add column if not exists fingerprint bytea', build.generation);
  end loop;
end
$$;
