import { erasedValue } from '../../domain/erasure/erase-from-event.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { type EventLog, OutcomeUnknown, type Position } from '../../domain/ports/event-log.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { NormalizedContent } from '../../domain/records/resources.ts';
import { streamId } from '../../domain/streams.ts';
import { newEvents } from '../new-events.ts';
import { decide, evolve, initialState } from '../records/record-decider.ts';
import type { PlannedEvent } from './plan-erasure.ts';

/**
 * Publishes the newest version of a record without the erased text, at exactly that revision, so that no concurrent change is undone.
 * Resolves to null on a conflict or an unknown outcome; the caller then reads the stream again.
 */
export async function followWithChange(
  { log, clock, identifiers }: { readonly log: EventLog; readonly clock: Clock; readonly identifiers: Identifiers },
  { stored, texts, replacements }: PlannedEvent,
  deadline: number,
): Promise<Position | null> {
  if (clock.now() >= deadline) throw new DeadlineExceeded('others keep changing the record: run the same command again');
  const {
    id: _id,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...content
  } = erasedValue(JSON.parse(stored.data), texts, replacements) as Record<string, unknown>;
  const time = clock.now();
  const intent = { type: 'PublishRecord', id: streamId(stored.stream), content: content as unknown as NormalizedContent } as const;
  const decision = decide({ ...intent, at: new Date(time).toISOString() }, evolve(initialState(), stored));
  if (decision instanceof Rejection) throw decision;
  const events = newEvents(decision, { commandId: identifiers.next(), time });
  try {
    const outcome = await log.append({ stream: stored.stream, expectedRevision: stored.revision, events });
    return outcome.kind === 'appended' ? outcome.position : null;
  } catch (error) {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  }
}
