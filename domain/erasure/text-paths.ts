/** A text within a JSON value: its path and its value. Keys of objects are no texts. */
export interface TextAt {
  readonly path: readonly string[];
  readonly text: string;
}

export function textsOf(value: unknown, path: readonly string[] = []): readonly TextAt[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, [...path, key]));
}

/** Paths of the wanted keys of a JSON value; nothing erases a key. */
export function keysWith(value: unknown, isWanted: (key: string) => boolean, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(!Array.isArray(value) && isWanted(key) ? [[...path, key]] : []),
    ...keysWith(inner, isWanted, [...path, key]),
  ]);
}

/** RFC 6901. */
export const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Null for a text that is no JSON pointer below the whole. */
export function pathOf(pointer: string): readonly string[] | null {
  if (!/^(\/([^~]|~[01])*)+$/s.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Puts a text in the place of another, in the value itself; the place must be there. */
export function putAt(value: unknown, path: readonly string[], text: string): void {
  const holder = valueAt(value, path.slice(0, -1)) as Record<string, unknown>;
  holder[path.at(-1)!] = text;
}
