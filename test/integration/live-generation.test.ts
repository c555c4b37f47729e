import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireLive } from '../../domain/ports/projection.ts';
import { openTestAgenda, type TestAgenda } from '../support/agenda.ts';

let agenda: TestAgenda;
beforeAll(async () => {
  agenda = await openTestAgenda();
});
afterAll(async () => agenda?.close());

const read = (projection: string, generation: number) =>
  agenda.database.read.rows({
    name: `read_${projection}_${generation}`,
    text: `select 'read' as found where ${requireLive(projection, generation)}`,
    values: [],
  });

test('a read of the live generation is answered, and one of another generation or read model fails', async () => {
  expect(await read('agenda', agenda.generation)).toEqual([{ found: 'read' }]);
  await expect(read('agenda', agenda.generation + 1)).rejects.toMatchObject({ code: 'CR001' });
  await expect(read('unknown', agenda.generation)).rejects.toMatchObject({ code: 'CR001' });
});

test('a prepared read fails once its generation is no longer the live one', async () => {
  expect(await read('agenda', agenda.generation)).toEqual([{ found: 'read' }]);
  const retire = { text: `update civic.projections set live_generation = null where name = 'agenda'`, values: [] };
  await agenda.database.transactor.transaction((transaction) => transaction.query(retire));
  await expect(read('agenda', agenda.generation)).rejects.toMatchObject({ code: 'CR001' });
});
