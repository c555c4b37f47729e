import { derivedId } from '../../../domain/identifiers.ts';
import { ImportingWriter } from '../../support/importing-writer.ts';
import { type SeededRandom, seededRandom } from '../../support/seeded-random.ts';
import { Customer, Over } from '../customer.ts';
import { type SoakAccount, writeFirstRecords } from '../first-records.ts';
import type { World } from '../world.ts';
import { Agent } from './agent.ts';
import { DirectWriter } from './direct-writer.ts';
import { AWAY, Operator } from './operator.ts';
import { Poller } from './poller.ts';
import { makeMirrors, type Mirror } from './mirror.ts';
import { Replicator } from './replicator.ts';
import { Reporter } from './reporter.ts';
import { SnapshotTaker } from './snapshot-taker.ts';

const LINES_A_FILE = 60;
const SHARED_ACCOUNTS = 2;

/** All users of the service during a soak. */
export interface Cast {
  /** The key of the first account has all scopes. */
  readonly key: string;
  readonly mirrors: readonly Mirror[];
  readonly replicators: readonly Replicator[];
  readonly importers: readonly ImportingWriter[];
  readonly writers: readonly DirectWriter[];
  readonly takers: readonly SnapshotTaker[];
  readonly pollers: readonly Poller[];
  readonly agents: readonly Agent[];
  readonly reporters: readonly Reporter[];
  readonly operator: Operator;
  customer(name: string, over: AbortSignal, key?: string): Customer;
  keyOf(reporter: Reporter): string;
  /** Runs all actors until the end; resolves when the last has ended. A failure of one is recorded, and the others continue. */
  work(over: AbortSignal): Promise<void>;
}

/** Every name has its own random sequence, so an actor does not depend on the speed of another. */
export const randomOf =
  (seed: number) =>
  (name: string): SeededRandom =>
    seededRandom(Number.parseInt(derivedId('soak', seed, name).slice(0, 8), 16));

export async function openCast(world: World): Promise<Cast> {
  const { plan, failures } = world;
  const random = randomOf(plan.seed);
  const accounts = await writeFirstRecords(world.database.url, SHARED_ACCOUNTS + plan.pollers + plan.reporters);
  const [everybody, operated, ...others] = accounts as [SoakAccount, SoakAccount, ...SoakAccount[]];
  const ofPollers = others.slice(0, plan.pollers);
  const ofReporters = others.slice(plan.pollers);
  const many = <One>(count: number, name: string, make: (name: string, at: number) => One): readonly One[] =>
    Array.from({ length: count }, (_, at) => make(`${name}-${at + 1}`, at));

  const excuses = (answer: { exitCode: number | null; stderr: string }, startedAt: number): boolean => {
    const { disturbances } = world;
    const isWarning = (line: string): boolean => line.includes('have not caught up') || line.startsWith('{"level":40,');
    const warned =
      answer.exitCode === 0 && answer.stderr !== '' && answer.stderr.trimEnd().split('\n').every(isWarning);
    return (
      disturbances.during(startedAt, performance.now()) &&
      (warned || (answer.exitCode === 1 && AWAY.test(answer.stderr)))
    );
  };
  const importers = many(
    plan.importers,
    'importer',
    (name) =>
      new ImportingWriter({ name, random: random(name), linesAFile: LINES_A_FILE, killed: 0.25, bad: 0.02, excuses }),
  );
  const mirrors = makeMirrors(world, random);
  const replicators = many(
    plan.replicators,
    'replicator',
    (name) => new Replicator(world, name, everybody.key, random(name)),
  );
  const writers = many(plan.writers, 'writer', (name) => new DirectWriter(world, name, random(name)));
  const takers = many(plan.snapshotTakers, 'taker', (name) => new SnapshotTaker(world, random(name)));
  const pollers = many(plan.pollers, 'poller', (name) => new Poller(world, name, random(name)));
  const agents = many(plan.agents, 'agent', (name) => new Agent(world, random(name)));
  const reporters = many(
    plan.reporters,
    'reporter',
    (name, at) => new Reporter(world, { name, accountId: ofReporters[at]!.accountId, random: random(name) }),
  );
  const operator = new Operator(world, operated, random('operator'));
  const keyOf = (reporter: Reporter): string => ofReporters[reporters.indexOf(reporter)]!.key;
  const customer = (name: string, over: AbortSignal, key = everybody.key): Customer =>
    new Customer(world, key, random(`${name} asks`), over);

  const noted = async (name: string, work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof Over)) failures.add(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const importing = async (importer: ImportingWriter, over: AbortSignal): Promise<void> => {
    while (!over.aborted) await importer.importOne(world.installation);
  };
  return {
    key: everybody.key,
    mirrors,
    replicators,
    importers,
    writers,
    takers,
    pollers,
    agents,
    reporters,
    operator,
    customer,
    keyOf,
    async work(over) {
      await Promise.all([
        ...mirrors.map((mirror) => noted(mirror.name, mirror.follow(customer(mirror.name, over)))),
        ...replicators.map((replicator) => noted(replicator.name, replicator.follow(over))),
        ...importers.map((importer, at) => noted(`importer ${at + 1}`, importing(importer, over))),
        ...writers.map((writer, at) => noted(`writer ${at + 1}`, writer.work(over))),
        ...takers.map((taker, at) => noted(`taker ${at + 1}`, taker.work(customer(`taker ${at}`, over)))),
        ...pollers.map((poller, at) =>
          noted(`poller ${at + 1}`, poller.work(customer(`poller ${at}`, over, ofPollers[at]!.key))),
        ),
        ...agents.map((agent, at) => noted(`agent ${at + 1}`, agent.work(customer(`agent ${at}`, over)))),
        ...reporters.map((reporter, at) =>
          noted(`reporter ${at + 1}`, reporter.work(customer(`reporter ${at}`, over, keyOf(reporter)))),
        ),
        noted('operator', operator.work(over)),
      ]);
    },
  };
}
