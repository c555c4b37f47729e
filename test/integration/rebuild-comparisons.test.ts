import { beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { sameRows } from '../../projections/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { DAY_MS, RETENTION_MS, type TestCivic, untilTrue } from '../support/civic.ts';
import { type RebuildTrial, rebuildTrial } from '../support/rebuilds.ts';

let civic: TestCivic;
let rebuilds: RebuildTrial['rebuilds'];
const trial = rebuildTrial();
const { start } = trial;
beforeAll(() => void ({ civic, rebuilds } = trial));

test('a refused rebuild names tables and rows that differ, and serves only if an operator accepts them', async () => {
  await start([recordReferences, recordHistory, snapshots]);
  const live = await civic.live(recordReferences.name);
  const [table] = recordReferences.tables(live);
  const [victim] = await civic.rows(
    `delete from ${table} where ctid = (select min(ctid) from ${table}) returning record_id::text`,
  );
  for (const purpose of ['building', 'held'] as const) {
    const { generation } = await rebuilds.rebuild(recordReferences, purpose);
    trial.projector!.nudge();
    await rebuilds.refused(generation);
    const { comparison, pausedReason } = (await rebuilds.row(generation))!;
    expect(pausedReason).toContain('differs');
    expect(comparison).toMatchObject({ live, equal: false });
    expect(comparison!.tables[0]!.rebuilt.rows).toBe(comparison!.tables[0]!.live.rows + 1);
    expect(comparison!.tables[0]!.rebuilt.digest).not.toBe(comparison!.tables[0]!.live.digest);
    expect(comparison!.differences.join(' ')).toContain(victim![0]);
    expect(await civic.live(recordReferences.name)).toBe(live);
    if (purpose === 'building') continue;
    expect(await rebuilds.decide(generation, 'switch-accepting')).toMatchObject({
      state: 'building',
      acceptDifferences: true,
    });
    trial.projector!.nudge();
    await rebuilds.serves(generation);
    expect(await rebuilds.row(generation)).toMatchObject({ acceptDifferences: false, held: false, pausedReason: null });
  }
});

test('the published feed is never switched to a rebuild that differs, also when an operator accepts it', async () => {
  await start([recordHistory, snapshots]);
  const live = await civic.live(recordHistory.name);
  const { state, history } = RECORD_HISTORY.at(live);
  const [chain] = await civic.rows(`select chain from ${state}`);
  const [body] = await civic.rows(
    `update ${history} set body = '{"tampered":true}' where position = 3 returning resource`,
  );
  await civic.rows(`update ${state} set chain = 'tampered'`);
  const { generation } = await rebuilds.rebuild(recordHistory);
  trial.projector!.nudge();
  await rebuilds.refused(generation);
  const { differences } = (await rebuilds.row(generation))!.comparison!;
  expect(differences.filter((row) => row.includes('tampered'))).toHaveLength(1);
  expect(differences.filter((row) => row.startsWith(`3 ${body![0]} `))).toHaveLength(1);
  await rebuilds.decide(generation, 'switch-accepting');
  trial.projector!.nudge();
  await rebuilds.refused(generation);
  expect(await civic.live(recordHistory.name)).toBe(live);
  const rebuilt = RECORD_HISTORY.at(generation).history;
  await civic.rows(`update ${history} h set body = r.body from ${rebuilt} r where r.position = 3 and h.position = 3`);
  await civic.rows(`update ${state} set chain = $1`, [chain![0]!]);
  // Equal again: the refused rebuild may continue.
  await rebuilds.decide(generation, 'switch-accepting');
  trial.projector!.nudge();
  await rebuilds.serves(generation);
});

test('a version with other columns replaces the former one, although their rows cannot be compared', async () => {
  await start([recordReferences]);
  await trial.projector!.stop();
  const wider: Projection = {
    ...recordReferences,
    version: recordReferences.version + 1,
    create: (generation) => [
      ...recordReferences.create(generation),
      `alter table ${recordReferences.tables(generation)[0]} add column noted integer not null default 1`,
    ],
    differences: (left, right) => [sameRows(recordReferences.tables(left)[0]!, recordReferences.tables(right)[0]!)],
  };
  trial.projector = civic.startProjector([wider]);
  await untilTrue('the new version serves', async () => (await rebuilds.liveRow(wider.name)).version === wider.version);
  await trial.projector.stop();
  await rebuilds.decide((await rebuilds.liveRow(wider.name)).generation, 'drop');
});

test('a held rebuild is equal also after only the live one was pruned', async () => {
  await start([recordHistory, snapshots]);
  const { generation } = await rebuilds.rebuild(recordHistory, 'held');
  trial.projector!.nudge();
  await rebuilds.ready(generation);
  civic.clock.advance(RETENTION_MS + DAY_MS);
  expect(await civic.prune()).toBeGreaterThan(0);
  const rows = async (number: number) =>
    Number((await civic.rows(`select count(*) from ${RECORD_HISTORY.at(number).history}`))[0]![0]);
  expect(await rows(generation)).toBeGreaterThan(await rows(await civic.live(recordHistory.name)));
  expect(await rebuilds.decide(generation, 'compare')).toMatchObject({ comparison: null });
  trial.projector!.nudge();
  await untilTrue('it was compared again', async () => (await rebuilds.row(generation))?.comparison !== null);
  expect((await rebuilds.row(generation))!.comparison).toMatchObject({ equal: true, differences: [] });
  await rebuilds.decide(generation, 'switch');
  trial.projector!.nudge();
  await rebuilds.serves(generation);
});
