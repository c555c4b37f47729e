import { DATABASE_ENCODING, OLDEST_SERVER, READ_ONLY } from '../../../domain/ports/database.ts';
import { SET_BACK_REMEDY } from '../../../domain/ports/event-log.ts';
import type { DatabaseFacts, FolderFacts } from '../../../domain/ports/probes.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly found: string;
  /** Instruction for the operator; empty if there is nothing to do. */
  readonly remedy: string;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, remedy: '' });
export const warning = (check: string, found: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  found,
  remedy,
});
export const failed = (check: string, found: string, remedy: string): Finding => ({
  check,
  state: 'failed',
  found,
  remedy,
});
const MEGABYTE = 1024 * 1024;
const LITTLE_SPACE = 2048 * MEGABYTE;
const NO_SPACE = 256 * MEGABYTE;
/** Processes whose clocks differ by more would not share the windows of one-second limits. */
const CLOCK_TOLERANCE_MS = 2_000;

export function judgeFolder(setting: string, { path, writable, freeBytes }: FolderFacts): readonly Finding[] {
  const free = `${Math.floor(freeBytes / MEGABYTE)} MB free at ${path}`;
  const space = freeBytes < NO_SPACE ? failed : warning;
  return [
    writable
      ? ok('data folder', `${path} can be written`)
      : failed(
          'data folder',
          `${path} cannot be written`,
          `start as its owner, or set ${setting} to a folder of your own`,
        ),
    freeBytes < LITTLE_SPACE
      ? space('free disk', free, 'free disk space: a full disk stops every write')
      : ok('free disk', free),
  ];
}

function judgeSchema({ schema, pendingMigrations, unknownMigrations }: DatabaseFacts): Finding {
  switch (schema) {
    case 'current':
      return ok('schema', 'matches this version');
    case 'empty':
      return ok('schema', 'an empty database; the first start creates the tables');
    case 'older':
      return warning(
        'schema',
        `older by ${pendingMigrations.join(', ')}`,
        'the next start migrates it automatically; back up first',
      );
    case 'newer':
      return failed(
        'schema',
        `written by a newer version (${unknownMigrations.join(', ')})`,
        'start that version, or restore an older backup',
      );
    case 'foreign':
      return failed('schema', 'tables of another program', 'set DATABASE_URL to an empty database');
  }
}

export function judgeDatabase(facts: DatabaseFacts, now: number): readonly Finding[] {
  const weak = Object.entries(facts.durability).filter(([, value]) => value === 'off' || value === 'local');
  const tooOld = Number.parseInt(facts.version, 10) < OLDEST_SERVER;
  return [
    tooOld
      ? failed('database', `PostgreSQL ${facts.version}`, `use PostgreSQL ${OLDEST_SERVER} or newer`)
      : ok('database', `PostgreSQL ${facts.version} responds`),
    ...(facts.readOnly ? [failed('writes', `the database ${READ_ONLY.found}`, READ_ONLY.remedy)] : []),
    facts.encoding === DATABASE_ENCODING
      ? ok('encoding', facts.encoding)
      : failed(
          'encoding',
          facts.encoding,
          `create a database with "encoding '${DATABASE_ENCODING}' template template0": this one cannot store every character`,
        ),
    judgeSchema(facts),
    weak.length === 0
      ? ok('durability', 'a commit is flushed before it is acknowledged')
      : warning(
          'durability',
          weak.map(([name, value]) => `${name} = ${value}`).join(', '),
          'a crash can lose acknowledged changes: turn it on',
        ),
    ...judgeTimeline(facts.timeline),
    judgeStandbys(facts.standbys),
    judgeHistory(facts.setBacks),
    ...judgeClocks(facts, now),
  ];
}

function judgeTimeline(timeline: DatabaseFacts['timeline']): readonly Finding[] {
  if (timeline === null) return [];
  const { now, stored: confirmed } = timeline;
  if (now === confirmed) return [ok('timeline', `${now}, as when the feed was last confirmed`)];
  const timelines = `${now}, and ${confirmed} when the feed was last confirmed: the server was promoted or recovered`;
  return [
    warning(
      'timeline',
      timelines,
      'run `civic feed keep` if no data was lost, otherwise `civic feed renew --reason TEXT`',
    ),
  ];
}

function judgeHistory(setBacks: DatabaseFacts['setBacks']): Finding {
  if (setBacks.length === 0) return ok('history', 'no process has noticed lost history');
  const losses = setBacks.map(
    ({ held, head, noticedAt }) => `set back from ${held} to ${head}, noticed ${new Date(noticedAt).toISOString()}`,
  );
  return warning('history', losses.join('; '), SET_BACK_REMEDY);
}

function judgeStandbys({ synchronous, connected }: DatabaseFacts['standbys']): Finding {
  const standbys = `${connected ?? 'an unknown number of'} standby${connected === 1 ? '' : 's'}`;
  if (synchronous !== '') return ok('standby', `a commit waits for ${synchronous}; ${standbys} connected`);
  if (connected === 0) return ok('standby', 'none is connected, and a commit waits for none');
  return warning(
    'standby',
    `a commit waits for no standby; ${standbys} connected`,
    'a failover loses what the standby has not received: set synchronous_standby_names',
  );
}

function judgeClocks({ clockAheadMs, trialOffsetMs, newestEventAt }: DatabaseFacts, now: number): readonly Finding[] {
  const findings: Finding[] = [];
  const warn = (found: string, remedy: string) => findings.push(warning('clock', found, remedy));
  if (Math.abs(clockAheadMs) > CLOCK_TOLERANCE_MS) {
    const way = clockAheadMs > 0 ? 'ahead of' : 'behind';
    warn(
      `the database's clock is ${Math.round(Math.abs(clockAheadMs) / 1000)} s ${way} this machine's`,
      'synchronize both clocks',
    );
  }
  const ahead = newestEventAt === null ? 0 : newestEventAt - (now + trialOffsetMs);
  if (ahead > CLOCK_TOLERANCE_MS) {
    warn(
      `the newest event is ${Math.round(ahead / 1000)} s in the future`,
      'the clock of this machine is or was wrong: synchronize it',
    );
  }
  if (trialOffsetMs !== 0) {
    const trial = new Date(now + trialOffsetMs).toISOString();
    warn(`trial clock: the time of this database is ${trial}`, 'use this database for trials only');
  }
  return findings.length === 0 ? [ok('clock', 'agrees with the database and the newest event')] : findings;
}
