import type { FeedRow } from '../../../queries/feed-after.ts';
import { feedCursorEncoder } from '../../domain/cursor.ts';
import type { FeedMessage, FeedPlace } from '../../domain/ports/feed-topic.ts';

/**
 * The messages of rows that follow a place. `civic-follows` names the message before, so that whoever reads all partitions can prove that
 * none is missing, also among the first ones, whose positions have holes. A removed record's message has no value.
 */
export const feedMessages = (place: FeedPlace, rows: readonly FeedRow[]): readonly FeedMessage[] => {
  const cursorAt = feedCursorEncoder(place.feedId, 'all');
  let follows = place.position;
  return rows.map((row) => {
    const headers: Record<string, string> = {
      'civic-feed': place.feedId,
      'civic-position': String(row.position),
      'civic-follows': String(follows),
      'civic-operation': row.removed ? 'remove' : 'upsert',
      'civic-version': row.version,
      'civic-changed-at': new Date(row.changedAt).toISOString(),
    };
    if (row.position <= place.boundary) headers['civic-boundary'] = String(place.boundary);
    follows = row.position;
    return {
      key: `${row.resource}/${row.recordId}`,
      value: row.removed ? null : `{"cursor":"${cursorAt(row.position, row.fingerprint)}",${row.text}}`,
      headers,
    };
  });
};
