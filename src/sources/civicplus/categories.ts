import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import { oneLine } from '../agendas/values.ts';

export interface NamedCategory {
  readonly id: number;
  readonly name: string | null;
}

/** A list between commas, so that a name with a comma is found in it too. */
const listed = (text: string): string =>
  `,${text
    .toLowerCase()
    .split(',')
    .map((part) => oneLine(part) ?? '')
    .join(',')},`;

/** Returns the categories that a list of names or ids selects; all without a list. Throws `SourceUnavailable` if the source lacks one of them. */
export function selectCategories(list: string | undefined, categories: readonly NamedCategory[]): ReadonlySet<number> {
  if (list === undefined) return new Set(categories.map(({ id }) => id));
  let rest = listed(list);
  const selected = new Set<number>();
  const longestFirst = categories.toSorted((left, right) => (right.name?.length ?? 0) - (left.name?.length ?? 0));
  for (const { id, name } of longestFirst) {
    for (const key of [...(name === null ? [] : [listed(name)]), `,${id},`]) {
      if (!listed(list).includes(key)) continue;
      selected.add(id);
      rest = rest.replace(key, ',');
    }
  }
  const missing = oneLine(rest.replaceAll(',', ' '));
  if (missing === null) return selected;
  const names = categories.map(({ id, name }) => `${name ?? 'without a name'} (${id})`);
  throw new SourceUnavailable(`the source has no category "${missing}"; it has ${names.join(', ')}`.slice(0, 1_000));
}
