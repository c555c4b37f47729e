import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';

export interface LegistarFolderOptions {
  /** Holds `<client>/bodies.json`, `<client>/events.json` and `<client>/eventitems/<EventId>.json`. */
  readonly directory: string;
  readonly client: string;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const field = (row: unknown, name: string): unknown =>
  typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[name] : undefined;

/** Reads a client from recorded answers. A missing or broken file is a failed read, never an empty list. */
export function legistarFolderReader(options: LegistarFolderOptions): LegistarReader {
  const list = async (...parts: readonly string[]): Promise<readonly unknown[]> => {
    const name = path.join(options.client, ...parts);
    let text: string;
    try {
      text = await readFile(path.join(options.directory, name), 'utf8');
    } catch (error) {
      if (isMissing(error) && parts[0] === 'bodies.json') {
        throw new UnknownSourceClient(`the folder has no recording of the client "${options.client}": ${name} is missing`);
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
    bodies: () => list('bodies.json'),
    events: async (from) => {
      const rows = await events();
      return from === null
        ? rows
        : rows.filter((row) => !(typeof field(row, 'EventDate') === 'string' && String(field(row, 'EventDate')) < from));
    },
    event: async (eventId) => (await events()).find((row) => field(row, 'EventId') === eventId) ?? null,
    eventItems: (eventId) => list('eventitems', `${eventId}.json`),
  };
}
