import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MANY_CLIENTS, newReport, readReport } from '../support/report-requests.ts';
import { startServerPair, type ServerPair } from '../support/postgresql-pair.ts';
import { onServer } from '../support/postgresql-server.ts';
import { importTopics, readTopics, topicNames } from '../support/numbered-topics.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

const DATABASE = 'civic';
/** The limit for new changes after a promotion. */
const AGAIN_MS = 10_000;

describe.each(['synchronous', 'asynchronous'] as const)('the primary is killed while a %s standby exists', (kind) => {
  let pair: ServerPair;
  let installation: Installation;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    pair = await startServerPair();
    await onServer(pair.dsn('postgres'), `create database ${DATABASE}`);
    if (kind === 'synchronous') {
      await onServer(pair.dsn('postgres'), `alter system set synchronous_standby_names = '*'`);
      await onServer(pair.dsn('postgres'), 'select pg_reload_conf()');
    }
    installation = makeInstallation('civic-failover-', { DATABASE_URL: pair.dsn(DATABASE), ...MANY_CLIENTS });
    key = await installation.openAccount();
    service = await installation.start();
    await importTopics(installation, 'before', 200);
  });
  afterAll(async () => {
    await service?.stop();
    await installation?.close();
    await pair?.stop();
  });

  test('every acknowledged write survives, and an interrupted import completes when it is run again', async () => {
    const acknowledged: string[] = [];
    const importing = (async () => {
      for (let part = 0; part < 50; part += 1) {
        await importTopics(installation, `part ${part}`, 40);
        acknowledged.push(...topicNames(`part ${part}`, 40));
      }
    })().catch(() => undefined);
    const receipts = new Map<string, string>();
    const posting = new AbortController();
    const reporting = (async () => {
      for (let number = 0; !posting.signal.aborted; number += 1) {
        const posted = await newReport(service, key, `report-${number}`).catch(() => null);
        if (posted !== null) receipts.set(`report-${number}`, posted.reportId);
        await after(20);
      }
    })();
    await untilTrue('some parts are imported', () => acknowledged.length >= 80 && receipts.size >= 5);
    if (kind === 'asynchronous') await pair.cut();
    const before = [...acknowledged];
    await pair.promote();
    const promoted = performance.now();
    await importing;
    await untilTrue('an import is taken again', async () => {
      try {
        await importTopics(installation, 'again', 40);
        return true;
      } catch {
        return false;
      }
    });
    let cursor = '';
    const served = async (): Promise<Set<string>> => {
      const names = new Set<string>();
      cursor = '';
      for (;;) {
        const page = await readTopics(service, key, cursor);
        if (page.status !== 200) return new Set();
        for (const name of page.names) names.add(name);
        if (page.names.length < 500) return names;
        cursor = page.next;
      }
    };
    await untilTrue('what is imported is served', async () => (await served()).has('again 39'));
    process.stdout.write(
      `${kind}: served again ${((performance.now() - promoted) / 1000).toFixed(1)} s after the promotion, two restarts of the server included\n`,
    );
    expect(performance.now() - promoted).toBeLessThan(6 * AGAIN_MS);
    posting.abort();
    await reporting;
    if (kind === 'synchronous') {
      for (const [token, reportId] of receipts) {
        expect([token, (await readReport(service, key, reportId)).status]).toEqual([token, 200]);
        expect(await newReport(service, key, token)).toMatchObject({ reportId });
      }
      const names = await served();
      expect(before.filter((name) => !names.has(name))).toEqual([]);
    }
    for (const part of [0, 1]) await importTopics(installation, `part ${part}`, 40);
    const names = await served();
    expect(topicNames('part 0', 40).filter((name) => !names.has(name))).toEqual([]);
    const { stdout } = await installation.civicHere(['projections', 'verify', '--all', '--json']);
    expect((JSON.parse(stdout) as { equal: boolean }[]).filter(({ equal }) => !equal)).toEqual([]);
  });
});
