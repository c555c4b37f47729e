import { DatabaseUnavailable, DeadlineExceeded, type Statement } from '../../domain/ports/database.ts';
import type { RewrittenEvent } from '../../domain/ports/erasures.ts';
import { type AppendOutcome, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import { appendOutcomes } from './append-statements.ts';
import { columnArrays } from './column-arrays.ts';
import type { PipelinedConnections } from './pipelined-connections.ts';

/** The only statement that rewrites events. A trigger accepts only what the erasure that the same transaction appends describes. */
function statementOf({ stream, expectedRevision, events }: StreamAppend, rewritten: readonly RewrittenEvent[]): Statement {
  const [event] = events;
  if (event === undefined || events.length > 1) throw new TypeError('an erasure is one event');
  return {
    text: 'select actual, start from civic.append_erasure($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    values: [
      stream,
      expectedRevision,
      event.id,
      event.type,
      event.schemaVersion,
      event.data,
      JSON.stringify(event.metadata),
      event.time,
      columnArrays.texts(rewritten.map((each) => each.stream)),
      columnArrays.bigints(rewritten.map(({ revision }) => revision)),
      columnArrays.jsons(rewritten.map(({ data }) => data)),
      columnArrays.jsons(rewritten.map(({ metadata }) => metadata)),
    ],
  };
}

/** Appends an erasure and rewrites the events in one transaction. Throws `OutcomeUnknown` when the connection is lost during it. */
export async function appendErasure(
  connections: PipelinedConnections,
  append: StreamAppend,
  rewritten: readonly RewrittenEvent[],
): Promise<AppendOutcome> {
  const statement = statementOf(append, rewritten);
  try {
    const { rows } = await connections.run(statement);
    return appendOutcomes([append], rows[0]!)[0]!;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) throw error;
    throw new OutcomeUnknown('the connection to the log was lost while an erasure was under way', { cause: error });
  }
}
