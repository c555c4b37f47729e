import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, complaintsOf, NEEDS_CHROMIUM, openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { councilOfDallas, document, hit, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';

const chromium = chromiumPath();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WINDOWS: readonly (readonly [name: string, BrowserContextOptions])[] = [
  ['light, desktop', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['dark, desktop', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ['light, phone', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['dark, phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
];

const VOTES = [
  { name: 'Member A', vote: 'Aye' },
  { name: `Member ${'long'.repeat(30)}`, vote: 'Absent' },
];

describe.skipIf(chromium === undefined)(NEEDS_CHROMIUM, () => {
  let database: TestDatabase;
  let served: ServedCivic;
  let browser: Browser;

  beforeAll(async () => {
    [database, browser] = await Promise.all([startTestDatabase(), openBrowser(chromium!)]);
    served = await serveCivic(database.url, { CIVIC_CONTACT: 'records@example.org' });
    const quote = 'The plan allows 40 flats.';
    await served.civic.writer.write(
      [
        ...councilOfDallas(),
        meeting('next', 7, { location: 'w'.repeat(300) }),
        meeting('off', 9, { status: 'cancelled' }),
        item('flats', 'next', {
          agendaNumber: '1.',
          title: `A plan ${'long'.repeat(60)}`,
          text: `Some words. ${quote} More.`,
          outcome: 'approved',
          matterFile: '26-0001',
          actions: [
            { text: 'Amended', outcome: null },
            { text: 'Adopted as amended', outcome: 'approved' },
          ],
          votes: { mover: 'Member A', seconder: 'Member B', tally: '1:1', members: VOTES },
        }),
        item('hearing', 'off', {
          title: 'Hold a hearing',
          matterFile: '26-0001',
          actionText: 'Laid over to a date uncertain',
        }),
        hit('flats', 'flats', { evidenceQuote: quote }),
        document('agenda', { meetingId: pageRecordId('meetings', 'next') }),
      ],
      {},
    );
    await served.civic.caughtUp(await served.civic.log.head());
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await database?.close();
  });

  const addresses = () => [
    '/',
    '/search?q=plan',
    '/topics/zoning',
    '/jurisdictions/dallas',
    '/jurisdictions/dallas/bodies/city-council',
    `/meetings/${pageRecordId('meetings', 'next')}`,
    `/items/${pageRecordId('agenda_items', 'flats')}`,
    '/docs',
    '/docs?q=cursor',
    '/docs/settings',
    '/docs/pages',
    '/docs/rest',
    '/docs/api/readCivicChanges',
    '/docs/connect-an-agent',
    '/docs/errors/not_found',
    '/nothing',
  ];
  const open = async (path: string, options: BrowserContextOptions): Promise<Page> => {
    // The policy of the pages also refuses the script of axe.
    const page = await (await browser.newContext({ bypassCSP: true, ...options })).newPage();
    await page.goto(`${served.baseUrl}${path}`);
    return page;
  };

  test.each(WINDOWS)('axe finds nothing on any page, and none is wider than the window: %s', async (_name, options) => {
    for (const path of addresses()) {
      const page = await open(path, options);
      await page.evaluate(AXE);
      const violations = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect([path, violations]).toEqual([path, []]);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([path, overflow]).toEqual([path, 0]);
      await page.context().close();
    }
  });

  test('a page loads its style under its policy without a complaint, and no script', async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${served.baseUrl}/`);
    expect(complaints).toEqual([]);
    expect((await page.locator('main').boundingBox())?.width).toBe(800);
  });

  test('a search works by keyboard without a script', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    await page.locator('#q').focus();
    await page.keyboard.type('plan');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=plan');
    expect(await page.locator('.entries a').first().getAttribute('href')).toBe(
      `/items/${pageRecordId('agenda_items', 'flats')}`,
    );
  });

  test('the samples of a guide are chosen by keyboard without a script', async () => {
    const page = await open('/docs/rest', { javaScriptEnabled: false });
    const group = page.getByRole('group', { name: 'Language of the sample' }).first();
    const visibleBlocks = () => group.locator('pre:visible').allTextContents();
    expect(await visibleBlocks()).toEqual([expect.stringContaining('curl')]);
    await group.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await visibleBlocks()).toEqual([expect.stringContaining('urllib')]);
    await page.keyboard.press('ArrowRight');
    expect(await visibleBlocks()).toEqual([expect.stringContaining('fetch(')]);
  });

  test('guides show their images under the policy of the pages', async () => {
    const page = await (await browser.newContext()).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${served.baseUrl}/docs/pages`);
    const images = page.locator('main img');
    expect(await images.count()).toBeGreaterThan(0);
    for (const image of await images.all()) {
      await image.scrollIntoViewIfNeeded();
      await expect
        .poll(() => image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth))
        .toBeGreaterThan(0);
    }
    expect(complaints).toEqual([]);
  });

  test('the reference is dark for a reader who prefers it, and shows an executed request in three languages', async () => {
    const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${served.baseUrl}/reference#/Public%20records/listRecentAgendaHits`);
    const operation = page.locator('.opblock', { hasText: '/api/v1/public/agenda-hits' }).first();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const sample = operation.locator('.request-snippets');
    for (const [language, text] of [
      ['Python', 'urllib.request.Request('],
      ['JavaScript', 'await fetch('],
      ['curl', 'curl -X'],
    ] as const) {
      await sample.getByText(language, { exact: true }).click();
      await expect.poll(() => sample.textContent()).toContain(text);
    }
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(ground).not.toBe(dark);
    expect(complaints).toEqual([]);
  });
});
