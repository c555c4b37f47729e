import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, complaintsOf, NEEDS_CHROMIUM, openBrowser } from '../support/browser.ts';
import { upsert } from '../support/civic-records.ts';
import { type PrivateServer, startPrivateServer } from '../support/postgresql-server.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';

const chromium = chromiumPath();
const PATIENT = { interval: 100 };
const HOSTILE = '<script>window.broken = true</script><img src=x onerror="window.broken = true">';
const LONG = 'word'.repeat(400);

describe.skipIf(chromium === undefined)(NEEDS_CHROMIUM, () => {
  let server: PrivateServer;
  let served: ServedCivic;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPrivateServer(), openBrowser(chromium!)]);
    served = await serveCivic(await server.createDatabase('civic'), {
      CIVIC_OPS_PORT: '0',
      CIVIC_STATEMENT_TIMEOUT: 'PT5S',
    });
    served.civic.startReactors();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await server?.stop();
  });

  const write = async (from: number, count: number) => {
    await served.civic.writer.write(
      Array.from({ length: count }, (_, index) => upsert('documents', from + index, from)),
      {},
    );
    await served.civic.caughtUp(await served.civic.log.head());
  };
  const change = async (text: string, values: readonly (string | number)[] = []) => {
    const { transactor } = served.civic.projectorDependencies;
    await transactor.transaction((transaction) => transaction.query({ text, values }));
  };
  const pause = (name: string, reason: string) =>
    change(
      `update civic.generations set paused_reason = $2, paused_event = $3::uuid, owner = null, lease_until = 0
        where projection = $1 and state = 'live'`,
      [name, reason, '11111111-2222-4333-8444-555555555555'],
    );
  const resume = () => change('update civic.generations set paused_reason = null, paused_event = null');
  const open = async (options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> => {
    const page = await (await browser.newContext(options)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${served.opsUrl}/ops`);
    return { page, complaints };
  };
  const status = (page: Page) => page.locator('#status').textContent();
  const tile = async (page: Page, name: string) =>
    Number(
      (await page.locator('#tiles > div', { hasText: name }).locator('.value').textContent())?.replaceAll(',', ''),
    );
  const rowOf = (page: Page, table: string, name: string) => page.locator(`#${table} tbody tr`, { hasText: name });
  const overflow = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  test('the first view shows no problem, follows writes, and causes no error of the browser', async () => {
    await write(0, 20);
    const { page, complaints } = await open();
    await expect.poll(() => status(page), PATIENT).toBe('All well');
    await expect.poll(() => tile(page, 'Feed head'), PATIENT).toBe(20);
    const place = async () =>
      Number(
        (await rowOf(page, 'projections', 'record_history').locator('td').nth(1).textContent())?.replaceAll(',', ''),
      );
    const [log, history] = [await tile(page, 'Log head'), await place()];
    await write(100, 30);
    await expect.poll(() => tile(page, 'Feed head'), PATIENT).toBe(50);
    await expect.poll(() => tile(page, 'Log head'), PATIENT).toBeGreaterThanOrEqual(log + 30);
    await expect.poll(place, PATIENT).toBeGreaterThanOrEqual(history + 30);
    expect(await page.locator('#projections tbody tr').count()).toBe(served.civic.projections.length);
    expect(await page.locator('#lines figcaption span:first-child').allTextContents()).toEqual([
      'Requests',
      'Refusals and failures',
      'Lag of the read models',
    ]);
    expect(await page.locator('#readers caption').textContent()).toBe('None has read from a cursor yet');
    expect(await page.locator('#process-line').textContent()).toMatch(/^role api · version \d/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a paused projection is named with its reason in the top line until it is resumed', async () => {
    const { page, complaints } = await open();
    await pause('audit', 'the event has no account');
    await expect.poll(() => status(page), PATIENT).toBe('Projection audit is paused: the event has no account');
    expect(await rowOf(page, 'projections', 'audit').textContent()).toContain('paused');
    expect(await page.locator('#severity').textContent()).toBe('Failing');
    // The top line says it in full.
    expect(await page.locator('#problems-section').isVisible()).toBe(false);
    expect((await page.locator('header').textContent())!.split('the event has no account')).toHaveLength(2);
    const readyz = await fetch(`${served.opsUrl}/readyz`);
    const body = (await readyz.json()) as { status: string; checks: { name: string; ok: boolean; reason?: string }[] };
    expect([readyz.status, body.status]).toEqual([200, 'degraded']);
    expect(body.checks.filter(({ ok }) => !ok)).toEqual([
      {
        name: 'projection audit',
        ok: false,
        reason: 'paused at event 11111111-2222-4333-8444-555555555555: the event has no account',
      },
    ]);
    await pause('reports', 'no disk');
    await expect.poll(() => status(page), PATIENT).toMatch(/^Projection .* \(and 1 more\)$/);
    expect(await page.locator('#problems').isVisible()).toBe(true);
    const header = (await page.locator('header').textContent())!;
    expect(['the event has no account', 'no disk'].map((reason) => header.split(reason).length)).toEqual([2, 2]);
    expect(await page.locator('#problems li').allTextContents()).toEqual([expect.stringMatching(/^FailingProjection/)]);
    await resume();
    await expect.poll(() => status(page), PATIENT).toBe('All well');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('hostile and very long text is shown as text, runs nothing and does not widen the page', async () => {
    await pause('audit', `${HOSTILE} ${LONG}`);
    await pause('reports', LONG);
    const { page, complaints } = await open({ viewport: { width: 360, height: 740 } });
    await expect
      .poll(() => rowOf(page, 'projections', 'audit').locator('.reason').textContent(), PATIENT)
      .toContain(HOSTILE);
    expect(await page.evaluate('[window.broken, document.scripts.length, document.images.length]')).toEqual([
      undefined,
      1,
      0,
    ]);
    expect(await status(page)).toContain('Projection');
    // The top line is cut.
    expect(await page.locator('#problems li').count()).toBe(2);
    expect(await overflow(page)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await overflow(page)).toBe(0);
    await resume();
    await expect.poll(() => status(page), PATIENT).toBe('All well');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  /** These tests do not affect each other. */
  describe.concurrent('the page can be open in several browsers at once', () => {
    test.for<readonly [string, BrowserContextOptions]>([
      ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true }],
      ['at twice the size on a small window', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
      ['in the dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const }],
    ])('%s nothing is cut off sideways, and every text stands out from its ground', async ([, options], { expect }) => {
      const { page, complaints } = await open(options);
      await expect.poll(() => status(page), PATIENT).toBe('All well');
      expect(await overflow(page)).toBe(0);
      expect(await page.evaluate(`(${WEAK_TEXTS})()`)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('the page has headings, named tables with headers, one live line, and links in keyboard order', async ({
      expect,
    }) => {
      const { page } = await open();
      await expect.poll(() => status(page), PATIENT).toBe('All well');
      for (const name of [
        'At a glance',
        'Projections',
        'Reactors',
        'Sources',
        'Payments',
        'Refusals of this process',
        'This process',
      ]) {
        expect(await page.getByRole('heading', { name, exact: true }).count()).toBe(1);
      }
      const table = page.getByRole('table', { name: 'Read models folded from the log' });
      expect(await table.getByRole('columnheader').allTextContents()).toEqual([
        'Projection',
        'State',
        'Events read',
        'Rate',
        'Lag',
        'Owner',
      ]);
      expect(await table.getByRole('rowheader', { name: 'record_history' }).count()).toBe(1);
      expect(await page.locator('[aria-live]').count()).toBe(1);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await table.getByRole('rowheader', { name: 'record_history' }).count()).toBe(1);
      const reached = new Set<string>();
      for (let presses = 0; presses < 12; presses += 1) {
        await page.keyboard.press('Tab');
        reached.add(String(await page.evaluate('document.activeElement?.getAttribute("href")')));
      }
      expect([...reached]).toEqual(expect.arrayContaining(['/ops/state', '/metrics', '/readyz']));
      await page.context().close();
    });

    test('a rebuild of this process is shown by name with its progress, and disappears when it is cancelled', async ({
      expect,
    }) => {
      const { page } = await open();
      const { generations, projections, listing } = served.civic;
      const projection = projections.find(({ name }) => name === 'record_history')!;
      const { generation } = await generations.create(projection, 'held', listing.leaseClock.now());
      const row = rowOf(page, 'rebuilds', `record_history, generation ${generation}`);
      await expect.poll(() => row.textContent(), PATIENT).toContain('ready, held for an operator');
      const [owner, live] = [
        await row.locator('td.owner').textContent(),
        rowOf(page, 'projections', 'record_history').locator('td.owner'),
      ];
      expect(owner).toMatch(/:service:/);
      expect(await live.textContent()).toBe(owner);
      const progress = () =>
        row.locator('progress').evaluate((element) => (element as unknown as { value: number }).value);
      const before = await progress();
      await write(300, 20);
      await expect.poll(progress, PATIENT).toBeGreaterThanOrEqual(before + 20);
      await generations.decide(generation, 'cancel', listing.leaseClock.now());
      await expect.poll(() => page.locator('#rebuilds-section').isHidden(), PATIENT).toBe(true);
      await page.context().close();
    });

    test('refusals of this process are counted by code', async ({ expect }) => {
      const { page } = await open();
      for (let requests = 0; requests < 3; requests += 1)
        expect((await served.ask('GET', '/changes', 'no-key')).status).toBe(401);
      await expect.poll(() => rowOf(page, 'refusals', 'unauthorized').locator('td').textContent(), PATIENT).toBe('3');
      await page.context().close();
    });

    test('a stopped service is reported, and its return too', async ({ expect }) => {
      const { page } = await open();
      await expect.poll(() => status(page), PATIENT).toBe('All well');
      await page.context().setOffline(true);
      await expect.poll(() => status(page), PATIENT).toBe('The service does not answer: what is shown is old');
      await expect.poll(() => page.locator('#updated').textContent(), PATIENT).toMatch(/^figures are \d+ s old$/);
      await page.context().setOffline(false);
      await expect.poll(() => status(page), PATIENT).toBe('All well');
      await page.context().close();
    });
  });

  test('a rebuild is shown with its progress, rate and time left, and disappears when it is done', async () => {
    const { page, complaints } = await open();
    await write(200, 40);
    // A generation of a version that does not run here, so only the test moves it.
    await change(
      `insert into civic.generations (projection, version, state, checkpoint, events_read, window_since, window_folded, window_events_read, created_at, changed_at, owner, token, lease_until)
        select projection, version + 1, 'building', lpad('10', length(checkpoint), '0'), 10, $1::bigint, 0, 0, 0, 0, 'elsewhere', 1, 9000000000000
        from civic.generations where projection = 'record_history' and state = 'live'`,
      [served.civic.listing.leaseClock.now() - 4_000],
    );
    const bar = page.locator('#rebuilds progress');
    await expect
      .poll(() => bar.getAttribute('aria-label'), PATIENT)
      .toMatch(/^Rebuild of record_history: \d+ % · 10 of \d+$/);
    await change(
      `update civic.generations set checkpoint = lpad('40', length(checkpoint), '0'), events_read = 40, folded = 40 where state = 'building'`,
    );
    await expect.poll(() => bar.getAttribute('aria-label'), PATIENT).toMatch(/ · 40 of \d+$/);
    expect(await bar.evaluate((element) => (element as unknown as { value: number }).value)).toBe(40);
    await expect
      .poll(() => page.locator('#rebuilds tbody').textContent(), PATIENT)
      .toMatch(/[\d.]+\/s.*\d+ (s|min|h)elsewhere/);
    await change(`delete from civic.generations where state = 'building'`);
    await expect.poll(() => page.locator('#rebuilds-section').isHidden(), PATIENT).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a lost database is reported within seconds with the age of the view, and its return too', async () => {
    const { page } = await open();
    await expect.poll(() => status(page), PATIENT).toBe('All well');
    await server.goDown('kill');
    try {
      await expect.poll(() => status(page), PATIENT).toMatch(/^The (database|log) cannot be /);
      await expect.poll(() => page.locator('#updated').textContent(), PATIENT).toMatch(/^figures are \d+ s old$/);
      expect(await page.locator('#projections tbody tr').count()).toBeGreaterThan(5);
      expect((await fetch(`${served.opsUrl}/readyz`)).status).toBe(503);
    } finally {
      await server.comeBack();
    }
    await expect.poll(() => status(page), PATIENT).toBe('All well');
    await expect.poll(() => page.locator('#updated').textContent(), PATIENT).toBe('updated just now');
    await page.context().close();
  });
});

/** Runs in the page: texts with a contrast to their background below 4.5 to 1. */
const WEAK_TEXTS = `() => {
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const color = parse(getComputedStyle(each).backgroundColor);
      if (color[3] === undefined || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''))
    .filter((element) => {
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
    })
    .map((element) => element.textContent);
}`;
