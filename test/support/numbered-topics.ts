import { derivedId } from '../../domain/identifiers.ts';
import type { Installation, Service } from './service.ts';

const topic = (name: string): object => ({
  slug: name.replaceAll(' ', '-'),
  name,
  publicLabel: name,
  description: name,
  keywords: [name],
  negativeKeywords: [],
  selectable: true,
  classificationActive: false,
  taxonomyManaged: false,
});

/** The names `prefix 0`, `prefix 1` and so on. */
export const topicNames = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

/** The file to import topics of these names with. */
export const topicLines = (prefix: string, count: number): string =>
  topicNames(prefix, count)
    .map(
      (name) =>
        `${JSON.stringify({ op: 'upsert', resource: 'topics', id: derivedId('test', name), data: topic(name) })}\n`,
    )
    .join('');

/** Imports topics of these names with the command; throws its output if it fails. */
export async function importTopics(installation: Installation, prefix: string, count: number): Promise<void> {
  const { exitCode, stderr } = await installation.civicHere(['records', 'import', '-', '--json'], {
    input: topicLines(prefix, count),
  });
  if (exitCode !== 0) throw new Error(stderr);
}

export interface TopicPage {
  readonly status: number;
  readonly names: readonly string[];
  /** The cursor after it; empty if the answer was no page. */
  readonly next: string;
}

/** Reads one page of changes of topics; an empty cursor reads from the start. */
export async function readTopics(service: Service, key: string, cursor: string): Promise<TopicPage> {
  const answer = await service.fetch(
    `/api/v1/data/changes?limit=500&resource=topics${cursor === '' ? '' : `&cursor=${cursor}`}`,
    { key },
  );
  if (answer.status !== 200) return { status: answer.status, names: [], next: '' };
  const { data, meta } = (await answer.json()) as {
    readonly data: { readonly items: readonly { readonly data?: { readonly name: string } }[] };
    readonly meta: { readonly nextCursor: string };
  };
  return { status: 200, names: data.items.flatMap((item) => item.data?.name ?? []), next: meta.nextCursor };
}
