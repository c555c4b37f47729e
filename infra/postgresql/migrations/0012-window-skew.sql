-- How far ahead a window may lie and still be the window for all: as long as it is itself, at least two seconds and at most a minute. With
-- a minute for every length, one process whose clock is ahead by half of that would have closed an account's second for half a minute.
create or replace function civic.window_at(kept bigint, moment bigint, length bigint) returns bigint language sql immutable parallel safe
  return case when kept >= moment - moment % length and kept <= moment + least(60000, greatest(length, 2000)) then kept else moment - moment % length end;
