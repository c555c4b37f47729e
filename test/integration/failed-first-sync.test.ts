import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath, complaintsOf, NEEDS_CHROMIUM, openBrowser } from '../support/browser.ts';
import { runCivicHere } from '../support/civic-here.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';

const KEY = 'civicplus:www.example.gov';
const REASON = /\b403\b/;
const LIST = '<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>City Council</h2></div></div>';

let database: TestDatabase;
let served: ServedCivic;
let site: Server;
let folder: string;

/** The site answers the request of `sources add`, and refuses every later one. */
beforeAll(async () => {
  let pages = 0;
  site = createServer((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    pages += 1;
    return pages === 1
      ? response.writeHead(200, { 'content-type': 'text/html' }).end(LIST)
      : response.writeHead(403, { 'content-type': 'text/html' }).end('<TITLE>Access Denied</TITLE>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  folder = mkdtempSync(join(tmpdir(), 'civic-'));
  database = await startTestDatabase();
  served = await serveCivic(database.url, { CIVIC_OPS_PORT: '0', CIVIC_SOURCE_PAUSE: 'PT0S' });
  const { civic } = served;
  const [source, client] = ['civicplus', 'www.example.gov'] as const;
  const jurisdiction = { slug: 'example-city', name: 'Example City', timezone: 'America/Chicago' };
  const baseUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await civic.addSource({ source, client, jurisdiction, isPublic: false, baseUrl }, 30_000);
  for (let run = 0; run < 2; run += 1) await civic.syncSource(source, { client, options: {} });
});
afterAll(async () => {
  await served?.close();
  await database?.close();
  site?.closeAllConnections();
  site?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

const status = (...options: readonly string[]) =>
  runCivicHere(['sources', 'status', ...options], {
    cwd: folder,
    env: { DATABASE_URL: database.url, CIVIC_LOG_LEVEL: 'silent' },
  });

test('"sources status" shows it as failing with its reason and the number of attempts', async () => {
  const { stdout, exitCode } = await status();
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/failing/);
  expect(stdout).toMatch(REASON);
  const [state] = JSON.parse((await status('--json')).stdout) as Record<string, unknown>[];
  expect(state).toMatchObject({
    source: 'civicplus',
    client: 'www.example.gov',
    status: 'failing',
    bodies: 0,
    consecutiveFailures: 2,
    lastSuccessfulCheckAt: null,
    failure: expect.stringMatching(REASON),
  });
});

test('the operator page lists it with its reason', async () => {
  const read = async () =>
    (await (await fetch(`${served.opsUrl}/ops/state`)).json()) as {
      shared: { sources: { badCount: number; listed: { place: string; failure: string }[] } } | null;
      problems: { text: string }[];
    };
  await expect.poll(async () => (await read()).shared?.sources.badCount).toBe(1);
  const { shared, problems } = await read();
  expect(shared!.sources.listed[0]).toMatchObject({
    place: KEY,
    status: 'failing',
    consecutiveFailures: 2,
    failure: expect.stringMatching(REASON),
  });
  expect(JSON.stringify(problems)).toContain(KEY);
});

const chromium = chromiumPath();
describe.skipIf(chromium === undefined)(NEEDS_CHROMIUM, () => {
  test('the page shows the reason and the row of the source, and causes no error', async () => {
    const browser = await openBrowser(chromium!);
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${served.opsUrl}/ops`);
    await expect.poll(() => page.locator('#status').textContent()).toContain(`1 source is not well: ${KEY} (failing: `);
    expect(await page.locator('#sources tbody tr', { hasText: KEY }).textContent()).toContain('failing');
    expect(complaints).toEqual([]);
  });
});
