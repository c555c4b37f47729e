import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { createSearchDocuments } from '../../queries/search/search-documents.ts';
import { startFoldedDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { explained } from '../support/query-plan.ts';

const TEXTS = 5_000;

let server: TestDatabase;
let session: Client;
let generation: number;

beforeAll(async () => {
  server = await startFoldedDatabase();
  session = new Client(server.url);
  await session.connect();
  const { rows } = await session.query<{ live: string }>(
    `select coalesce(live_generation, (select max(generation) from civic.generations where projection = $1)) as live
     from civic.projections where name = $1`,
    [AGENDA.name],
  );
  generation = Number(rows[0]!.live);
  await session.query(`insert into civic.document_texts
    (sha256, bytes, text, agenda, reading_version, meeting_id, words)
    select lpad(to_hex(n), 64, '0'), 1, 'word' || n, '{}', 1, gen_random_uuid(), to_tsvector('english', 'word' || n)
    from generate_series(1, ${TEXTS}) n; analyze civic.document_texts`);
});
afterAll(async () => {
  await session?.end();
  await server?.close();
});

async function statementFor(query: string): Promise<Statement> {
  let statement: Statement | undefined;
  const reads = {
    rows: async (build: (live: () => number) => Statement) => {
      statement = build(() => generation);
      return [];
    },
  } as unknown as LiveReads;
  await createSearchDocuments(
    () => reads,
    () => 20_600,
  )({ query, limit: 20 }, new AbortController().signal);
  return statement!;
}

test('a search reads only the texts that contain its words', async () => {
  const nodes = await explained(session, await statementFor('word77'));
  const used = nodes.flatMap((node) => node['Index Name'] ?? []);
  expect(used).toContain('document_texts_by_word');
  const read = nodes.filter((node) => node['Relation Name'] === 'document_texts');
  expect(read.every((node) => (node['Actual Rows'] ?? 0) <= 1)).toBe(true);
});

test('a search without a required word reads no text', async () => {
  const nodes = await explained(session, await statementFor('-word77'));
  const read = nodes.filter((node) => node['Relation Name'] === 'document_texts');
  expect(read.map((node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0))).toEqual(read.map(() => 0));
});
