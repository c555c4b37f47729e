import type { EventLog } from '../../domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../domain/ports/generations.ts';

function tell(
  { generation, projection, checkpoint, owner, token, leaseUntil, pausedReason, operatorPausedAt }: Generation,
  now: number,
) {
  const ownership =
    owner === null ? 'nobody owns it' : `owner ${owner}, token ${token}, lease ends in ${leaseUntil - now} ms`;
  const paused = pausedReason ?? (operatorPausedAt === null ? null : 'by an operator');
  return `${projection} (generation ${generation}) at ${checkpoint}: ${ownership}${paused === null ? '' : `, paused: ${paused}`}`;
}

/** The end of the log, and the checkpoint and owner of every live read model. */
export async function tellPlaces({
  generations,
  log,
}: {
  readonly generations: Pick<GenerationStore, 'list'>;
  readonly log: Pick<EventLog, 'head'>;
}): Promise<string> {
  const rows = (await generations.list()).filter(({ state }) => state === 'live');
  return [`the log ends at ${await log.head()}`, ...rows.map((row) => tell(row, Date.now()))].join('\n');
}
