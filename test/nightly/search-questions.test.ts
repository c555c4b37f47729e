import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legistarFolderReader } from '../../infra/legistar/folder-client.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import {
  askQuestions,
  FOUND_IN,
  loadRecordings,
  readQuestions,
  RECORDED_CLIENTS,
} from '../support/search-questions.ts';

/** Recorded answers of Dallas and Fort Worth; they are not in the repository. */
const RECORDINGS =
  process.env['LEGISTAR_RECORDINGS'] ?? fileURLToPath(new URL('../../../shared/data/legistar-api', import.meta.url));
const there = RECORDED_CLIENTS.every((client) => existsSync(`${RECORDINGS}/${client}/events.json`));

describe.skipIf(!there)(
  'with recordings of Dallas and Fort Worth (set LEGISTAR_RECORDINGS to their folder to run these)',
  () => {
    let civic: TestCivic;

    beforeAll(async () => {
      civic = await openFreshCivic();
      await loadRecordings(civic, (client) => legistarFolderReader({ directory: RECORDINGS, client }));
    });
    afterAll(() => civic?.close());

    test('headings have no entry, and every item of business with more than a title has one', async () => {
      const { generation } = (await civic.generations.list()).find(
        ({ projection, state }) => projection === agendaSearch.name && state === 'live',
      )!;
      const { items, entries } = AGENDA_SEARCH.at(generation);
      const rows =
        await civic.rows(`select i.title, num_nonnulls(i.text, i.agenda_number, i.matter_file, i.matter_type, i.action_text, i.outcome)::text
      from ${items} i left join ${entries} e on e.item_id = i.item_id where e.item_id is null and coalesce(i.kind, 'item') <> 'procedural'`);
      const titles = new Set(rows.map(([title]) => title!));
      expect(rows.filter(([, more]) => more !== '0')).toEqual([]);
      expect(['CONSENT AGENDA', 'Park & Recreation Department'].filter((title) => !titles.has(title))).toEqual([]);
    });

    test.each([
      ['search-questions', 19, 20],
      ['search-phrases', 19, 20],
      ['search-inquiries', 24, 25],
    ] as const)(`%s: at least %i of %i find a good answer among the first ${FOUND_IN}`, async (name, enough, all) => {
      const answers = await askQuestions(civic, await readQuestions(name));
      const missed = answers
        .filter(({ place }) => place === 0 || place > FOUND_IN)
        .map(({ question, place }) => ({ question, place }));
      expect(answers).toHaveLength(all);
      expect(missed.length, `missed: ${JSON.stringify(missed)}`).toBeLessThanOrEqual(answers.length - enough);
    });
  },
);
