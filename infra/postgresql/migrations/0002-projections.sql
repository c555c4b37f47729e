-- Which generation of each read model serves; a switch moves this row and every read checks it inside its own statement.
create table civic.projections (
  name text collate "C" primary key,
  live_generation integer
);

-- One build of a read model's tables: how far it has folded, who folds it, and what stopped it.
create table civic.generations (
  generation integer generated always as identity primary key,
  projection text collate "C" not null references civic.projections,
  version integer not null,
  state text not null check (state in ('live', 'building', 'scratch', 'retired', 'refused')),
  log_id uuid,
  checkpoint text collate "C" not null default '',
  folded bigint not null default 0,
  owner text,
  token bigint not null default 0,
  lease_until bigint not null default 0,
  paused_reason text,
  paused_event uuid,
  created_at bigint not null,
  changed_at bigint not null
);

create unique index generations_live on civic.generations (projection) where state = 'live';
create unique index generations_building on civic.generations (projection) where state = 'building';

-- The horizon of pruning: rows superseded at or below it may be gone. It only grows.
create table civic.feed_retention (
  singleton boolean primary key default true check (singleton),
  mark bigint not null
);

insert into civic.feed_retention (mark) values (0);

create function civic.refuse_falling_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.mark < old.mark then
    raise exception 'the pruning mark never falls' using errcode = 'CR002';
  end if;
  return new;
end
$$;

create trigger feed_retention_grows before update or delete on civic.feed_retention
  for each row execute function civic.refuse_falling_mark();

-- Fails a statement that was built for a generation which is no longer the live one.
create function civic.require_live(wanted text, number integer) returns boolean language plpgsql stable as $$
begin
  if not exists (select from civic.projections where name = wanted and live_generation = number) then
    raise exception 'generation % of % is not the live one', number, wanted using errcode = 'CR001';
  end if;
  return true;
end
$$;
