import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const field = (row: unknown, name: string): unknown =>
  typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[name] : undefined;

const isBefore = (date: unknown, from: string | null): boolean => typeof date === 'string' && from !== null && date < from;

/** A missing or broken file is a failed read, not an empty list. */
export function legistarFolderReader({ directory, client }: { readonly directory: string; readonly client: string }): LegistarReader {
  const list = async (...parts: readonly string[]): Promise<readonly unknown[]> => {
    const name = path.join(client, ...parts);
    let text: string;
    try {
      text = await readFile(path.join(directory, name), 'utf8');
    } catch (error) {
      if (isMissing(error) && parts[0] === 'bodies.json') {
        throw new UnknownSourceClient(`the folder has no recording of the client "${client}": ${name} is missing`);
      }
      throw new SourceUnavailable(`${name} ${isMissing(error) ? 'is missing' : 'cannot be read'}`);
    }
    let rows: unknown;
    try {
      rows = JSON.parse(text);
    } catch {
      throw new SourceUnavailable(`${name} is no JSON`);
    }
    if (!Array.isArray(rows)) throw new SourceUnavailable(`${name} holds no list`);
    return rows;
  };
  const events = () => list('events.json');
  return {
    platform: { sourceType: 'legistar', label: 'Legistar' },
    bodies: () => list('bodies.json'),
    events: async (from) => (await events()).filter((row) => !isBefore(field(row, 'EventDate'), from)),
    event: async (eventId) => (await events()).find((row) => field(row, 'EventId') === eventId) ?? null,
    eventItems: (eventId) => list('eventitems', `${eventId}.json`),
  };
}
