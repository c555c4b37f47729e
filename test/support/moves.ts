import { expect } from 'vitest';
import type { TestCivic } from './civic.ts';
import { tellPlaces } from './places.ts';

const LAST_STINTS = 4;

/** Records every later change of the row of a generation, for the three functions below. */
export async function noteMoves({ rows }: Pick<TestCivic, 'rows'>): Promise<void> {
  await rows(`create table civic.owners (id bigint generated always as identity, generation int, owner text, token bigint, checkpoint text,
    at timestamptz not null default clock_timestamp())`);
  await rows(`create function civic.note_owner() returns trigger language plpgsql as $$ begin
    insert into civic.owners (generation, owner, token, checkpoint) values (new.generation, new.owner, new.token, new.checkpoint);
    return new; end $$`);
  await rows(
    `create trigger note_owner after update on civic.generations for each row execute function civic.note_owner()`,
  );
}

/** No owner acted after a later one, and no checkpoint went back. */
export async function checkMoves({ rows }: Pick<TestCivic, 'rows'>): Promise<void> {
  const lastByName = new Map<string, { token: number; checkpoint: string }>();
  for (const [generation, token, checkpoint] of await rows(
    'select generation, token, checkpoint from civic.owners order by id',
  )) {
    const last = lastByName.get(generation!) ?? { token: 0, checkpoint: '' };
    expect(Number(token)).toBeGreaterThanOrEqual(last.token);
    expect(checkpoint! >= last.checkpoint).toBe(true);
    lastByName.set(generation!, { token: Number(token), checkpoint: checkpoint! });
  }
}

const STINTS = `
  select o.generation, coalesce(o.owner, 'nobody'), o.token, min(o.checkpoint), max(o.checkpoint), count(*),
    round(extract(epoch from clock_timestamp() - min(o.at)), 1), round(extract(epoch from clock_timestamp() - max(o.at)), 1)
  from civic.owners o join civic.generations g using (generation) where g.state = 'live'
  group by o.generation, o.owner, o.token order by o.generation, max(o.id)`;

/** Checkpoints and last moves of every live read model, for the message of a failure. */
export async function tellMoves(civic: Pick<TestCivic, 'rows' | 'generations' | 'log'>): Promise<string> {
  const stints = Map.groupBy(await civic.rows(STINTS), ([generation]) => generation);
  const lines = [...stints].map(([generation, all]) => {
    const descriptions = all
      .slice(-LAST_STINTS)
      .map(
        ([, owner, token, from, to, changes, first, last]) =>
          `${owner} (token ${token}) from ${from || 'nowhere'} to ${to} in ${changes} changes, ${first} to ${last} s ago`,
      );
    return `moves of generation ${generation}: ${descriptions.join('; ')}`;
  });
  return [await tellPlaces(civic), ...lines].join('\n');
}
