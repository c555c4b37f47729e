import { readdir, readFile } from 'node:fs/promises';
import { programFile } from '../../../domain/program-files.ts';
import { kept } from '../documents/document-routes.ts';

export const GUIDES_FOLDER = programFile('docs/');

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'Guide';

/** A file of the program; null where there is none. */
export async function readGuide(name: string, folder: URL): Promise<Guide | null> {
  const markdown = await readFile(new URL(`${name}.md`, folder), 'utf8').catch(absent);
  return markdown === null ? null : { name, title: titleOf(markdown), markdown };
}

function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** The guides by name, without the decisions. */
export const guides = kept(async (): Promise<readonly Guide[]> => {
  const names = (await readdir(GUIDES_FOLDER)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length));
  const read = await Promise.all(names.toSorted().map((name) => readGuide(name, GUIDES_FOLDER)));
  return read.filter((guide) => guide !== null);
});
