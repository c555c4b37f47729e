import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import type { Progress } from '../../domain/ports/projection.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import {
  CLASSIFICATION,
  createClassificationReactor,
} from '../../src/processors/reactors/classification/classification-reactor.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { agendaId } from '../support/agenda-events.ts';
import { LONG_LEASE_MS } from '../support/civic.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { openClassification, type TestClassification } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { untilReached, untilTrue } from '../support/until-reached.ts';

const MAIN = fileURLToPath(new URL('../support/reactor-main.ts', import.meta.url));
const TITLE = 'Consider rezoning 12.5 acres at 1201 Main Street.';
const LEASE_MS = 700;

let database: TestDatabase;
let classification: TestClassification;
let events: TestClassification['events'];
const children: ChildProcess[] = [];

beforeEach(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url);
  ({ events } = classification);
  await classification.write(
    events.topic('zoning', { keywords: ['rezoning'] }),
    events.place('dallas'),
    events.meeting('session', 'dallas', '2026-02-03T19:00:00.000Z'),
  );
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await classification?.close();
  await database?.close();
});

/** A separate process that runs the classification; see `reactor-main.ts`. */
function startChild(mode: 'after-writing' | 'before-writing') {
  const child = spawn(process.execPath, [MAIN, mode, database.url, String(LEASE_MS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: childEnvironment(),
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    /** Waits for a line with this prefix and returns it. */
    says: async (beginning: string): Promise<string> => {
      for (;;) {
        const { value, done } = (await lines.next()) as { value: string; done?: boolean };
        if (done === true) throw new Error(`the process ended without saying ${beginning}`);
        if (value.startsWith(beginning)) return value;
      }
    },
  };
}

const items = (...names: readonly string[]) => names.map((name) => events.item(name, 'session', { title: TITLE }));
const classifiedItems = async () => new Set((await classification.hits()).map(({ agendaItemId }) => agendaItemId));
const idsOf = (...names: readonly string[]) => new Set(names.map((name) => agendaId('agenda_items', name)));

function failingFor(name: string, error: () => Error | null) {
  const inner = topicClassifier();
  return {
    name: inner.name,
    formerNames: [],
    classify: async (...[subject, topics]: Parameters<typeof inner.classify>) => {
      const failure = subject.item.id === agendaId('agenda_items', name) ? error() : null;
      if (failure !== null) throw failure;
      return inner.classify(subject, topics);
    },
  };
}

test('an owner that is killed between the hits and the checkpoint causes no duplicate', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `case ${index}`);
  await classification.write(items(...names));
  const { child, says } = startChild('after-writing');
  await says('written');
  const headBefore = await classification.civic.log.head();
  expect((await classification.row())!.checkpoint < headBefore).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  classification.start();
  await classification.atRest();
  expect(await classifiedItems()).toEqual(idsOf(...names));
  expect(await classification.civic.log.head()).toBe(headBefore);
  expect((await classification.row())!.token).toBe(2);
});

test('an owner that was frozen beyond its lease overwrites nothing of its successor', async () => {
  await classification.write(items('case'));
  const { child, says } = startChild('before-writing');
  await says('classifying');
  child.kill('SIGSTOP');
  const frozen = (await classification.row())!.owner;
  const successor = classification.start();
  await classification.atRest();
  expect((await classification.row())!.owner).toBe(successor.owner);
  await classification.write(events.item('case', 'session', { title: 'Nothing that any topic would follow.' }));
  await classification.atRest();
  expect(await classifiedItems()).toEqual(idsOf());
  const head = await classification.civic.log.head();
  child.stdin.write('go on\n');
  child.kill('SIGCONT');
  expect(await says('')).toMatch(/^refused: /);
  expect([await classification.civic.log.head(), await classifiedItems()]).toEqual([head, idsOf()]);
  expect(frozen).not.toBe(successor.owner);
});

test('of two processes one runs it at a time, and the other continues when the first ends', async () => {
  const busy = new Set<string>();
  const ids = new Set<string>();
  let together = 0;
  const watched = (name: string): Reactor => {
    const reactor = createClassificationReactor(classification.parts());
    return {
      ...reactor,
      begin: () => {
        const handle = reactor.begin();
        return async (batch, running) => {
          busy.add(name);
          ids.add(name);
          together = Math.max(together, busy.size);
          await handle(batch, running).finally(() => busy.delete(name));
        };
      },
    };
  };
  // A short lease could end and be taken over on a busy machine.
  const first = classification.start({}, { leaseMs: LONG_LEASE_MS, reactor: watched('first') });
  await classification.atRest();
  classification.start({}, { leaseMs: LONG_LEASE_MS, reactor: watched('second') });
  for (let round = 0; round < 5; round++) await classification.write(items(`case ${round}`));
  await classification.atRest();
  expect([...ids]).toEqual(['first']);
  await first.stop();
  await classification.write(items('last'));
  await classification.atRest();
  expect([[...ids], together]).toEqual([['first', 'second'], 1]);
  expect(await classifiedItems()).toEqual(idsOf('case 0', 'case 1', 'case 2', 'case 3', 'case 4', 'last'));
});

test('an owner that returns knows the topics that changed while another ran it', async () => {
  const reactor = createClassificationReactor(classification.parts());
  let hasFailed = false;
  const watched: Reactor = {
    ...reactor,
    begin: () => {
      const handle = reactor.begin();
      return async (batch, running) => {
        running.signal.addEventListener('abort', () => (hasFailed = true));
        await handle(batch, running);
      };
    },
  };
  classification.start({}, { leaseMs: 300, reactor: watched });
  await classification.write(items('before'));
  await classification.atRest();
  await classification.civic.rows(
    "update civic.processors set owner = 'another', token = token + 1, lease_until = $1",
    [Date.now() + LONG_LEASE_MS],
  );
  await untilTrue('the owner knows that it has lost it', () => hasFailed);
  await classification.write(
    events.topic('zoning', { keywords: ['acres'] }),
    events.topic('streets', { keywords: ['main street'] }),
  );
  await classification.civic.rows(
    "update civic.processors set checkpoint = $1, lease_until = 0 where owner = 'another'",
    [await classification.civic.log.head()],
  );
  await classification.write(items('after'));
  await classification.atRest();
  const topics = (await classification.hits()).filter(
    ({ agendaItemId }) => agendaItemId === agendaId('agenda_items', 'after'),
  );
  expect(new Set(topics.map(({ topicId }) => topicId))).toEqual(
    new Set(['zoning', 'streets'].map((name) => agendaId('topics', name))),
  );
});

test('an event that fails pauses it with reason and event, projections continue, and a retry continues', async () => {
  let broken = true;
  const healthy = classification.start();
  await classification.atRest();
  await healthy.stop();
  await classification.write(items('one', 'poison', 'three'));
  const classifier = failingFor('poison', () => (broken ? new Error('this item cannot be classified') : null));
  const { logger } = classification.start({ classifier });
  await untilTrue(
    'it is paused',
    async () =>
      (await classification.row())?.pausedReason !== undefined && (await classification.row())!.pausedReason !== null,
  );
  const [poison] = await classification.civic.log.readStream(
    `agenda_items-${agendaId('agenda_items', 'poison')}`,
    -1,
    1,
  );
  expect(await classification.row()).toMatchObject({
    pausedReason: 'this item cannot be classified',
    pausedEvent: poison!.id,
    owner: null,
  });
  expect(logger.errors.join()).toContain(poison!.id);
  expect(await classifiedItems()).toEqual(idsOf('one'));
  await classification.write(items('four'));
  await classification.civic.caughtUp(undefined, [recordHistory.name, recordReferences.name]);
  expect((await classification.row())!.pausedEvent).toBe(poison!.id);

  broken = false;
  await classification.store.resume(CLASSIFICATION);
  await classification.atRest();
  expect(await classifiedItems()).toEqual(idsOf('one', 'poison', 'three', 'four'));
});

test.each([
  ['is away', new DatabaseUnavailable('gone')],
  ['is silent', new DeadlineExceeded('no answer')],
])('a database that %s for a long time pauses nothing', async (_, failure) => {
  let failures = 0;
  const classifier = failingFor('case', () => (++failures < 30 ? failure : null));
  classification.start({ classifier });
  await classification.write(items('case'));
  await classification.atRest();
  expect(failures).toBeGreaterThanOrEqual(30);
  expect(await classifiedItems()).toEqual(idsOf('case'));
});

test('a read model that lags pauses nothing, and a stop ends the wait for it', async () => {
  let now = Date.now();
  const clock = { now: () => (now += 40_000), sleep: async () => undefined };
  let calls = 0;
  const progress = { waitFor: async () => ++calls > 40 };
  const patient = classification.start({ clock, progress });
  await classification.write(items('case'));
  await classification.atRest();
  expect(calls).toBeGreaterThan(40);
  await patient.stop();
  await classification.write(items('more'));
  let [looks, longest] = [0, 0];
  const lagging: Progress = {
    waitFor: async (_name, _position, deadline) => {
      [looks, longest] = [looks + 1, Math.max(longest, deadline - systemClock.now())];
      await systemClock.sleep(5);
      return false;
    },
  };
  const waiting = classification.start({ progress: lagging });
  await untilReached('the looks', 3, () => looks);
  const before = looks;
  await waiting.stop();
  // The running check ended, and no other began.
  expect(looks).toBe(before);
  expect(longest).toBeLessThanOrEqual(5_000);
});

test('an item that changes while its batch waits never gets a hit from the text in the batch', async () => {
  let armed = false;
  const progress: Progress = {
    waitFor: async (...args) => {
      if (armed) {
        armed = false;
        await classification.write(events.item('case', 'session', { title: 'Nothing that any topic would follow.' }));
      }
      return classification.civic.progress.waitFor(...args);
    },
  };
  classification.start({ progress });
  await classification.atRest();
  armed = true;
  await classification.write(items('case'));
  await classification.atRest();
  expect(armed).toBe(false);
  const { events: all } = await classification.civic.log.readAll({ after: LOG_START, limit: 1000 });
  expect(all.filter(({ stream }) => stream.startsWith('agenda_hits-'))).toEqual([]);
});

test('it does not follow another log', async () => {
  const { stop } = classification.start();
  await classification.atRest();
  await stop();
  await classification.civic.rows("update civic.processors set log_id = '00000000-0000-4000-8000-000000000000'");
  classification.start();
  await untilTrue('it is paused', async () => (await classification.row())!.pausedReason !== null);
  expect((await classification.row())!.pausedReason).toMatch(
    /^the reactor classification has followed log 00000000-0000-4000-8000-000000000000, but this log is /,
  );
});

test('a rebuild of the read models starts no classification', async () => {
  classification.start();
  await classification.write(items('one', 'two'));
  await classification.atRest();
  const [before, head] = [await classification.row(), await classification.civic.log.head()];
  for (const projection of [recordHistory, recordReferences]) {
    const building = await classification.civic.generations.create(projection, 'building', Date.now());
    classification.projector!.nudge();
    await untilTrue(
      'the rebuild is live',
      async () => (await classification.civic.live(projection.name)) === building.generation,
    );
  }
  const after = await classification.row();
  expect([after!.handled, after!.checkpoint, await classification.civic.log.head()]).toEqual([
    before!.handled,
    before!.checkpoint,
    head,
  ]);
  await classification.write(items('three'));
  await classification.atRest();
  expect(await classifiedItems()).toEqual(idsOf('one', 'two', 'three'));
});
