import type { Conversation, FuzzFacts } from './conversation.ts';
import { converse, OpenConnections } from './converse.ts';
import { Findings } from './findings.ts';
import { conversationAt, crowdAt, warmUpAt } from './generate.ts';
import { judge } from './judge.ts';
import { type Baseline, baselineOf, changesSince, isAlive, watchResident } from './process-watch.ts';

/** The process under attack, restarted as by a supervisor. */
export interface FuzzTarget {
  /** Null once it has ended. */
  readonly pid: number | null;
  readonly baseUrl: string;
  readonly opsUrl: string;
  /** The file of its memory figures (`SOAK_MEMORY_FILE`). */
  readonly memoryFile: string;
  /** Stops it if it runs, and starts it again. */
  restart(): Promise<void>;
}

export interface FuzzPlan {
  readonly seed: number;
  readonly facts: FuzzFacts;
  /** Conversations, without the crowds. */
  readonly count: number;
  readonly batch: number;
  /** Called at the end of each batch with its findings. */
  readonly onBatch: (message: string) => void;
}

export interface FuzzResult {
  readonly findings: readonly string[];
  readonly sent: number;
  /** Number of each kind. */
  readonly kinds: ReadonlyMap<string, number>;
}

const AT_ONCE = 32;
const WARM_UP = 300;
const MAX_FINDINGS = 25;
/** A process with this many unanswered requests, or too large, is lost: the batch ends. */
const MAX_UNANSWERED = 8;
/** The wait for a process that is busy with a crowd. */
const PROBE_MS = 240_000;
export const MAX_RESIDENT_MB = 600;

/** Attacks a process batch by batch and checks it after each; the same seed sends the same bytes. */
export async function runFuzz(
  target: FuzzTarget,
  { seed, facts, count, batch, onBatch }: FuzzPlan,
): Promise<FuzzResult> {
  const findings = new Findings();
  const kinds = new Map<string, number>();
  let requests = 0;
  let baseline: Baseline | null = null;
  let isSpoilt = false;
  for (let from = 0, number = 0; from < count && findings.size < MAX_FINDINGS; from += batch, number += 1) {
    if (isSpoilt || !isUp(target)) await target.restart();
    if (baseline === null || baseline.pid !== target.pid) baseline = await warmedUp(target, facts);
    const { pid } = baseline;
    const crowd = crowdAt(number);
    const connections = new OpenConnections();
    const resident = watchResident(pid);
    const before = findings.size;
    let unanswered = 0;
    const isLost = (): boolean =>
      unanswered >= MAX_UNANSWERED || resident.largestMb() > MAX_RESIDENT_MB || target.pid !== pid;
    const add = (wrong: string, first = `after ${requests}`): void =>
      findings.add(`batch ${number} (${crowd[0]!.kind})`, first, wrong);
    const send = async (conversation: Conversation, name: string): Promise<void> => {
      if (isLost()) return;
      requests += 1;
      const { kind, end } = conversation;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const outcome = await converse(portOf(target, conversation), conversation, connections);
      if (outcome.how === 'unanswered') unanswered += 1;
      for (const wrong of judge(conversation, outcome)) add(wrong, `${name}, ${kind}, ${end}`);
    };
    const probe = async (when: string): Promise<void> => {
      const wrong = isUp(target) && !isLost() ? await probed(target, facts.key) : null;
      if (wrong !== null) add(`${when}: ${wrong}`);
    };
    await inTurn(crowd.length, (index) => send(crowd[index]!, `member ${index}`));
    await probe('with its crowd');
    await inTurn(Math.min(batch, count - from), (index) =>
      send(conversationAt(seed, from + index, facts), `conversation ${from + index}`),
    );
    connections.reset();
    await probe('at its end');
    const largestMb = resident.stop();
    if (largestMb > MAX_RESIDENT_MB) add(`the process took over ${MAX_RESIDENT_MB} MB: ${Math.round(largestMb)}`);
    isSpoilt = isLost();
    if (isUp(target) && !isSpoilt) for (const wrong of await changesSince(baseline, target)) add(wrong);
    if (target.pid !== pid || !isAlive(pid)) add('the process ended');
    const summary = `batch ${number}, ${crowd[0]!.kind}: ${requests} conversations, ${Math.round(largestMb)} MB at most`;
    onBatch([summary, ...findings.told().slice(before)].join('\n  '));
  }
  return { findings: findings.told(), sent: requests, kinds };
}

const isUp = ({ pid }: FuzzTarget): boolean => pid !== null && isAlive(pid);

const portOf = ({ baseUrl, opsUrl }: FuzzTarget, { listener }: Conversation): number =>
  Number(new URL(listener === 'public' ? baseUrl : opsUrl).port);

async function warmedUp(target: FuzzTarget, facts: FuzzFacts): Promise<Baseline> {
  const connections = new OpenConnections();
  await inTurn(WARM_UP, async (index) => {
    const conversation = warmUpAt(index, facts);
    await converse(portOf(target, conversation), conversation, connections);
  });
  return baselineOf(target);
}

/** Asks for health, a page of the feed and the operator listener, each on its own connection; returns the error or null. */
async function probed({ baseUrl, opsUrl }: FuzzTarget, key: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  for (const url of [`${baseUrl}/api/v1/data/health`, `${baseUrl}/api/v1/data/changes?limit=5`, `${opsUrl}/livez`]) {
    try {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PROBE_MS) });
      const text = await answer.text();
      if (answer.status !== 200) return `${url} answers ${answer.status}: ${text.slice(0, 200)}`;
    } catch (error) {
      return `${url} does not answer: ${String((error as { cause?: unknown }).cause ?? error)}`;
    }
  }
  return null;
}

/** Runs numbered work with a limit of concurrency. */
async function inTurn(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
