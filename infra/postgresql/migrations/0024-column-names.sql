-- Columns get the terms of the glossary; values stay. Older processes must be stopped, as for 0023.
alter table civic.feed_retention rename column mark to pruned_through;
create or replace function civic.refuse_falling_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.pruned_through < old.pruned_through then
    raise exception 'pruned_through never falls' using errcode = 'CR002';
  end if;
  return new;
end
$$;
alter function civic.refuse_falling_mark() rename to refuse_falling_pruned_through;

alter table civic.report_queue rename column reckoned to recounts;
comment on column civic.report_queue.counted is 'Open reports as the read model counts them; null before the first count.';
comment on column civic.report_queue.reserved is 'Report id to the time, in milliseconds since the epoch, until which its request holds a reservation.';

alter table civic.generations rename column place to events_read;
alter table civic.generations rename column stretch_at to window_since;
alter table civic.generations rename column stretch_folded to window_folded;
alter table civic.generations rename column stretch_place to window_events_read;
alter table civic.generations rename column pace to read_rate;
