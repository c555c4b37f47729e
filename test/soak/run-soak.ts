import { attackMember } from './attack-member.ts';
import { openCast, randomOf } from './actors/cast.ts';
import { checkEverything } from './final-checks.ts';
import { conductFaults, type Suffered } from './faults/conduct-faults.ts';
import { KeptConnections } from './kept-connections.ts';
import { Memory, memoryFailures, type MemoryFinding } from './memory.ts';
import { openReadiness } from './readiness.ts';
import type { SoakPlan } from './soak-plan.ts';
import { openWorld } from './world.ts';

export interface SoakResult {
  readonly failures: readonly string[];
  readonly suffered: readonly Suffered[];
  readonly answers: ReadonlyMap<string, number>;
  readonly memory: readonly MemoryFinding[];
  /** Lines of level error in the logs of the processes, with their counts. */
  readonly errors: ReadonlyMap<string, number>;
  /** The counts of all actions. */
  readonly done: Readonly<Record<string, number>>;
}

export interface SoakOptions {
  readonly onFault: (suffered: Suffered, progress: string) => void;
  readonly onBatch?: (description: string) => void;
  /** Called with each failure as soon as it is found. */
  readonly onFailure?: (failure: string) => void;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Runs a soak from an empty folder to the last check; throws only when the world could not be built. */
export async function runSoak(plan: SoakPlan, { onFault, onBatch, onFailure }: SoakOptions): Promise<SoakResult> {
  const world = await openWorld(plan);
  const { failures, published } = world;
  if (onFailure !== undefined) failures.onFound = onFailure;
  const suffered: Suffered[] = [];
  const memory = new Memory();
  const connections = new KeptConnections();
  connections.watch();
  try {
    const cast = await openCast(world);
    const readiness = openReadiness(world, cast.key);
    const over = new AbortController();
    const started = performance.now();
    const ready = await readiness.wait(plan.readyWithinMs);
    if (typeof ready === 'string') failures.add(`nothing was disturbed yet: ${ready}`);
    memory.watch(world);
    const working = cast.work(over.signal);
    const pages = (): number => sum(cast.mirrors.map((mirror) => mirror.pages));
    await conductFaults({
      world,
      random: randomOf(plan.seed)('faults'),
      readiness,
      onFault(one) {
        suffered.push(one);
        const seconds = Math.round((performance.now() - started) / 1000);
        onFault(
          one,
          `${seconds} s, ${suffered.length} faults, feed at ${published.whole}, ${pages()} pages, ${failures.found.length} wrong`,
        );
      },
    });
    over.abort(new Error('the soak is over'));
    await working;
    memory.stop();
    const calm = await readiness.wait(plan.readyWithinMs);
    if (typeof calm === 'string') failures.add(`at the end: ${calm}`);
    const fuzzed = plan.fuzz === 0 ? null : await attackMember(world, cast.key, onBatch);
    const { position, events } = await checkEverything(world, cast);
    await readiness.close();
    const findings = memory.findings();
    for (const wrong of memoryFailures(findings)) failures.add(wrong);
    await Promise.all(world.members.map((member) => member.end('SIGTERM')));
    const totals = {
      'feed positions': position,
      'events in the log': events,
      'pages read by mirrors': pages(),
      'mirrors killed with a page in their hands': sum(cast.mirrors.map(({ kills }) => kills)),
      'mirrors that began anew': sum(cast.mirrors.map(({ anew }) => anew)),
      'civic replicate killed': sum(cast.replicators.map(({ kills }) => kills)),
      'answers to civic replicate damaged': sum(cast.replicators.map(({ damaged }) => damaged)),
      'files imported': sum(cast.importers.map(({ imports }) => imports)),
      'imports killed': sum(cast.importers.map(({ kills }) => kills)),
      'batches written': sum(cast.writers.map(({ batches }) => batches)),
      'changes acknowledged': sum(cast.writers.map(({ appended }) => appended.length)),
      'changes of unknown outcome': sum(cast.writers.map(({ uncertain }) => uncertain.size)),
      'snapshots taken': sum(cast.takers.map(({ taken }) => taken)),
      'snapshots compared with the feed': sum(cast.takers.map(({ compared }) => compared)),
      'polls of subscriptions': sum(cast.pollers.map(({ polls }) => polls)),
      'subscriptions revoked': sum(cast.pollers.map(({ revoked }) => revoked)),
      'tool calls': sum(cast.agents.map(({ calls }) => calls)),
      'reports with a receipt': sum(cast.reporters.map(({ receipts }) => receipts.size)),
      'reports sent again': sum(cast.reporters.map(({ replays }) => replays)),
      ...Object.fromEntries([...cast.operator.done].map(([what, times]) => [`civic ${what}`, times])),
      'requests sent': connections.requests,
      'connections that they were sent on': connections.opened,
      'hostile conversations': fuzzed?.sent ?? 0,
      ...Object.fromEntries([...(fuzzed?.kinds ?? [])].map(([kind, times]) => [`hostile: ${kind}`, times])),
      'lives of processes': sum(world.members.map(({ lives }) => lives)),
    };
    return {
      failures: failures.found,
      suffered,
      answers: world.answers,
      memory: findings,
      errors: errorsOf(world.members),
      done: totals,
    };
  } finally {
    memory.stop();
    connections.stop();
    await world.close().catch((error: unknown) => failures.add(`at the very end: ${String(error)}`));
  }
}

/** Only the messages, because every line has a different time and request. */
function errorsOf(
  members: readonly { readonly name: string; readonly errors: readonly string[] }[],
): ReadonlyMap<string, number> {
  const errors = new Map<string, number>();
  for (const { errors: lines } of members) {
    for (const line of lines) errors.set(messageOf(line), (errors.get(messageOf(line)) ?? 0) + 1);
  }
  return errors;
}

function messageOf(line: string): string {
  try {
    const { time: _time, level: _level, requestId: _requestId, ...rest } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify(rest).slice(0, 800);
  } catch {
    return line.slice(0, 400);
  }
}
