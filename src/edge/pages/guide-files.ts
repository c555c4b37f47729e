import { readdir, readFile } from 'node:fs/promises';
import { programFile } from '../../../plumbing/program-files.ts';
import { memoize } from '../documents/document-routes.ts';

export const GUIDES_FOLDER = programFile('docs/');

/** Folders of the guides, with their headings on the list of guides. A guide outside them is for everyone. */
const AUDIENCES: Readonly<Record<string, string>> = {
  'readers/': 'For readers',
  'developers/': 'For developers',
  'operators/': 'For operators',
  'contributors/': 'For contributors',
  '': 'For everyone',
};

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly audience: string;
  readonly markdown: string;
  /** The folder that relative links of the guide start from. */
  readonly folder: URL;
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'Guide';

/** The text of a Markdown file; null if it does not exist. */
export const readMarkdown = (name: string, folder: URL): Promise<string | null> =>
  readFile(new URL(`${name}.md`, folder), 'utf8').catch(absent);

function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

export const toGuide = (name: string, markdown: string, folder: URL, audience = ''): Guide => ({
  name,
  title: titleOf(markdown),
  audience,
  markdown,
  folder,
});

/** Every guide, grouped by audience and sorted by name; decisions are not guides. */
export const guides = memoize(async (): Promise<readonly Guide[]> => {
  const groups = Object.entries(AUDIENCES).map(([folder, audience]) =>
    guidesIn(new URL(folder, GUIDES_FOLDER), audience),
  );
  return (await Promise.all(groups)).flat();
});

async function guidesIn(folder: URL, audience: string): Promise<readonly Guide[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).toSorted();
  return Promise.all(
    files.map(async (file) =>
      toGuide(file.slice(0, -'.md'.length), await readFile(new URL(file, folder), 'utf8'), folder, audience),
    ),
  );
}
