import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, openOwn } from './mirror-files.ts';
import { type MirrorCommit, MirrorRefused } from './mirror-store.ts';

const JOURNAL = /^records-\d+\.ndjson$/;
const RESOURCE = /^[a-z_]+$/;
// A name from the files of a mirror becomes the name of a file that is written or deleted, so it must stay in the folder.
export const isJournalName = (name: string): boolean => JOURNAL.test(name);
export const isResourceName = (name: string): boolean => RESOURCE.test(name);

const NAME = '"resource":"([^"]+)","id":"([^"]+)"';
/** A line that `formatCommit` wrote, such as `{"op":"remove","resource":"topics","id":"…"}`. */
const JOURNAL_LINE = new RegExp(`^\\{"op":"(upsert|remove)",${NAME}(?:,"data":(.*))?\\}$`, 's');

/** Formats a commit as lines of the journal. */
export const formatCommit = ({ upserts, removes }: MirrorCommit): string =>
  [
    ...upserts.map(
      ({ resource, id, data }) => `{"op":"upsert","resource":"${resource}","id":"${id}","data":${data}}\n`,
    ),
    ...removes.map(({ resource, id }) => `{"op":"remove","resource":"${resource}","id":"${id}"}\n`),
  ].join('');

export interface JournalLine {
  readonly resource: string;
  readonly id: string;
  /** Null if the record was removed. */
  readonly data: string | null;
}

/** Copies a part of a line: a slice would keep the whole line in memory. */
const copyText = (text: string): string => Buffer.from(text).toString();

export async function* readJournal(file: string, bytes: number): AsyncIterable<JournalLine> {
  for await (const line of linesOf(file, bytes)) {
    const [, op, resource, id, data] = JOURNAL_LINE.exec(line) ?? [];
    if (resource === undefined || id === undefined || !isResourceName(resource))
      throw new MirrorRefused(`${file} has a line that no mirror wrote`);
    yield { resource: copyText(resource), id: copyText(id), data: op === 'upsert' ? (data ?? null) : null };
  }
}

export function createJournalWriter(folder: string) {
  let file: { readonly name: string; readonly handle: FileHandle } | undefined;
  async function close(): Promise<void> {
    const open = file;
    file = undefined;
    await open?.handle.close();
  }
  return {
    /** Appends after the committed bytes of a journal. When it opens the file, it drops the bytes beyond them. */
    async append(name: string, bytes: number, text: string): Promise<void> {
      if (file?.name !== name) {
        await close();
        file = { name, handle: await openOwn(join(folder, name), constants.O_APPEND) };
        await file.handle.truncate(bytes);
      }
      if (text === '') return;
      try {
        await file.handle.appendFile(text);
        await file.handle.sync();
      } catch (error) {
        // The next call truncates a partial page.
        await close().catch(() => undefined);
        throw error;
      }
    },
    close,
  };
}
