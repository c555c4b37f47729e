import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type AgendaReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { legistarPlatform } from './platform.ts';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const field = (row: unknown, name: string): unknown =>
  typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[name] : undefined;

const isBefore = (date: unknown, from: string | null): boolean =>
  typeof date === 'string' && from !== null && date < from;

/**
 * Reads a client from a folder of JSON files. Treats a missing or broken file as a failed read, not as an empty list.
 */
export function legistarFolderReader({
  directory,
  client,
}: {
  readonly directory: string;
  readonly client: string;
}): AgendaReader {
  /** Null if the file is missing. */
  const listOrNull = async (...parts: readonly string[]): Promise<readonly unknown[] | null> => {
    const name = path.join(client, ...parts);
    let text: string;
    try {
      text = await readFile(path.join(directory, name), 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw new SourceUnavailable(`${name} cannot be read`);
    }
    let rows: unknown;
    try {
      rows = JSON.parse(text);
    } catch {
      throw new SourceUnavailable(`${name} is no JSON`);
    }
    if (!Array.isArray(rows)) throw new SourceUnavailable(`${name} is not a list`);
    return rows;
  };
  const list = async (...parts: readonly string[]): Promise<readonly unknown[]> => {
    const rows = await listOrNull(...parts);
    if (rows !== null) return rows;
    const name = path.join(client, ...parts);
    if (parts[0] !== 'bodies.json') throw new SourceUnavailable(`${name} is missing`);
    throw new UnknownSourceClient(`the folder has no recording of the client "${client}": ${name} is missing`);
  };
  let listed: Promise<readonly unknown[]> | undefined;
  const events = () => (listed ??= list('events.json'));
  let byId: Promise<ReadonlyMap<unknown, unknown>> | undefined;
  const eventsById = () => (byId ??= events().then((rows) => new Map(rows.map((row) => [field(row, 'EventId'), row]))));
  return {
    platform: legistarPlatform(client),
    bodies: () => list('bodies.json'),
    events: async (from) => (await events()).filter((row) => !isBefore(field(row, 'EventDate'), from)),
    event: async (eventId) => (await eventsById()).get(eventId) ?? null,
    eventItems: (eventId) => list('eventitems', `${eventId}.json`),
    votes: async (eventItemId) => (await listOrNull('votes', `${eventItemId}.json`)) ?? [],
  };
}
