import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { changeSourceList } from '../../commands/sources/source-list.ts';
import { requestOf } from '../../src/sources/added-sources.ts';
import { runCivicHere } from '../support/civic-here.ts';
import { memoryLog } from '../support/memory-log.ts';
import { page, sleepingClock, startSite, status } from '../support/web-site.ts';

const CENTER = `<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>Town Council</h2><span id="section4">
  <ul class="years"><li class="current"><a href="javascript:changeYear(2026, 4,'a0')">2026</a></li></ul>
  <table><tbody><tr class="catAgendaRow" id="row178"><td><h3><a name="_03042026-178"></a>
  <strong aria-label="Agenda for March 4, 2026">Mar 4, 2026</strong></h3>
  <p><a href="/AgendaCenter/ViewFile/Agenda/_03042026-178">Regular Meeting</a></p></td></tr></tbody></table></span></div></div>`;

test('a list that robots.txt excludes is read only with --ignore-robots', async () => {
  const site = await startSite({
    '/robots.txt': status(200, {}, 'User-agent: *\nDisallow: /AgendaCenter'),
    '/AgendaCenter': page(CENTER),
  });
  const read = (...options: readonly string[]) =>
    runCivicHere(
      ['sources', 'try', 'civicplus', '--client', 'www.example.gov', '--base-url', site.url, '--json', ...options],
      { cwd: tmpdir(), env: { CIVIC_SOURCE_PAUSE: 'PT0S' } },
    );
  const refused = await read();
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('refused by robots.txt: /AgendaCenter') as unknown,
  });
  expect(site.requests()).toEqual([]);
  const { stdout } = await read('--ignore-robots', '--limit', '0');
  expect(JSON.parse(stdout)).toMatchObject({ failure: null, meetings: [{}] });
});

test('an added source keeps the option', async () => {
  const { log } = memoryLog();
  const clock = sleepingClock();
  const added = {
    source: 'civicplus',
    client: 'www.example.gov',
    jurisdiction: { slug: 'ellis-county', name: 'Ellis County', timezone: 'America/Chicago' },
    isPublic: false,
    options: { ignoreRobots: 'true' },
  };
  let ids = 0;
  const identifiers = { next: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}` };
  await changeSourceList({ log, clock, identifiers }, { type: 'AddSource', added }, clock.now() + 1_000);
  expect(await requestOf(log, 'civicplus', { client: 'www.example.gov', options: {} })).toMatchObject({
    options: { ignoreRobots: 'true' },
  });
});
