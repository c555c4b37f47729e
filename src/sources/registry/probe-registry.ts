import { sourceKey } from '../../../domain/events/source-events.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { RecordGone, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import type { SourceSurvey, SurveyClient } from '../source.ts';
import { eachByPlatform } from './each-by-platform.ts';
import type { RegistryAnswer, RegistryRow } from './registry.ts';
import { clientOptions } from './registry-sources.ts';

/** Longest time for one client, in milliseconds. */
const DEADLINE_MS = 60_000;
/** Number of body names of an answer. */
const NAMES = 5;

interface ProbeOptions {
  readonly survey: SurveyClient;
  readonly clock: Pick<Clock, 'now'>;
  /** Ends the probe. Answers that came before are lost. */
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => void;
  readonly deadlineMs?: number;
}

/** Words in the reason for a refused request. */
const REFUSALS = ['refuse', 'requires a login', 'login page', 'needs a token'];

function failureOf(error: unknown): Pick<RegistryAnswer, 'result' | 'reason'> {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { result: 'unreachable', reason: 'no complete answer in time' };
  if (error instanceof UnknownSourceClient || error instanceof RecordGone)
    return { result: 'gone', reason: error.message };
  if (!(error instanceof SourceUnavailable)) throw error;
  const isRefusal = REFUSALS.some((word) => error.message.includes(word));
  return { result: isRefusal ? 'refused' : 'unreachable', reason: error.message };
}

function answerOf({ bodies, ...newest }: SourceSurvey): Omit<RegistryAnswer, 'probedOn'> {
  return { result: 'answered', bodies: bodies.length, bodyNames: bodies.slice(0, NAMES), ...newest };
}

async function probeClient(rows: readonly RegistryRow[], options: ProbeOptions): Promise<RegistryAnswer> {
  const { survey, clock, signal, deadlineMs = DEADLINE_MS } = options;
  signal.throwIfAborted();
  const { platform, client } = rows[0]!;
  const probedOn = new Date(clock.now()).toISOString().slice(0, 10);
  const request = {
    client,
    options: clientOptions(rows),
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
  };
  try {
    return { probedOn, ...answerOf(await survey(platform, request)) };
  } catch (error) {
    signal.throwIfAborted();
    return { probedOn, ...failureOf(error) };
  }
}

/** Returns the row with the answer of its client. A client that lists bodies was seen. */
function withAnswer({ onlyOld, ...row }: RegistryRow, answer: RegistryAnswer): RegistryRow {
  const hasList = answer.result === 'answered' && answer.bodies !== 0;
  if (!hasList) return { ...row, ...(onlyOld && { onlyOld }), answer };
  const isOld = answer.newestMeeting === null;
  return { ...row, evidence: 'seen', evidenceDate: answer.probedOn, ...(isOld && { onlyOld: true as const }), answer };
}

/** Probes the client of each row once and returns the rows with its answer. */
export async function probeRows(rows: readonly RegistryRow[], options: ProbeOptions): Promise<readonly RegistryRow[]> {
  const clients = Map.groupBy(rows, ({ platform, client }) => sourceKey({ source: platform, client }));
  const answers = new Map<string, RegistryAnswer>();
  const inputs = [...clients].map(([key, ofClient]) => ({ key, source: ofClient[0]!.platform, ofClient }));
  await eachByPlatform(inputs, async ({ key, ofClient }) => {
    answers.set(key, await probeClient(ofClient, options));
    options.progress(answers.size, inputs.length);
  });
  return rows.map((row) => withAnswer(row, answers.get(sourceKey({ source: row.platform, client: row.client }))!));
}
