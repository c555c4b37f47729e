import { DAY_MS } from '../../../domain/durations.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { derivedBodyId, derivedSourceId } from './own-records.ts';

type Body = Pick<RecordData<'public_bodies'>, 'name' | 'slug' | 'createdAt'>;
type Source = Pick<RecordData<'sources'>, 'publicBodyId' | 'active' | 'createdAt'>;

/** A body in the list of a client. */
interface NamedRow {
  readonly bodyId: number;
  readonly name: string | null;
}

export interface PlaceRecords {
  readonly client: string;
  readonly jurisdictionSlug: string;
  readonly bodies: ReadonlyMap<string, Body>;
  /** Sources of the place, by id, including those of other clients and of the catalogue. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Time of the run, in milliseconds. */
  readonly now: number;
}

/** A body moves to an older one of the same name only while it is younger than this. */
const MAX_AGE_TO_MOVE = DAY_MS;
/** Maximum characters of a name that are compared. */
const MAX_NAME = 200;

/** Words at the end of the name of a list: "Commissioners Court Agendas & Minutes". */
const PAPERS = new Set(['agenda', 'agendas', 'minutes', 'packet', 'packets', 'meeting', 'meetings', 'and']);

function wordsOf(name: string): readonly string[] {
  const plain = name
    .slice(0, MAX_NAME)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}|['’]/gu, '');
  const all = plain.replaceAll('&', ' and ').split(/[^\p{L}\p{N}]+/u);
  const words = all.filter((word) => word !== '' && word !== 'the');
  const last = words.findLastIndex((word) => !PAPERS.has(word));
  return last < 0 ? words : words.slice(0, last + 1);
}

/** Returns the ways in which the name of a body mentions its place, the longest first. */
function formsOfPlace(jurisdictionSlug: string): readonly (readonly string[])[] {
  const name = jurisdictionSlug.split('-');
  const kinds = name.at(-1) === 'county' ? [['county', 'of', ...name.slice(0, -1)]] : [];
  return [...['city', 'town', 'village'].map((kind) => [kind, 'of', ...name]), ...kinds, name];
}

const startsWith = (words: readonly string[], start: readonly string[]): boolean =>
  words.length > start.length && start.every((word, index) => words[index] === word);

const endsWith = (words: readonly string[], end: readonly string[]): boolean =>
  words.length > end.length && end.every((word, index) => words[words.length - end.length + index] === word);

/** Returns the text by which two names of a body are compared: "Commissioners Court" and "Ellis County Commissioners' Court" have the same. */
export function bodyNameKey(name: string, jurisdictionSlug: string): string {
  const words = wordsOf(name);
  for (const form of formsOfPlace(jurisdictionSlug)) {
    if (startsWith(words, form)) return words.slice(form.length).join(' ');
    for (const end of [['of', ...form], form]) if (endsWith(words, end)) return words.slice(0, -end.length).join(' ');
  }
  return words.join(' ');
}

const isOlder = (one: readonly [id: string, Body], other: readonly [id: string, Body]): boolean =>
  `${one[1].createdAt} ${one[0]}` < `${other[1].createdAt} ${other[0]}`;

/** Finds bodies of a place that several clients read. */
export class SharedBodies {
  readonly #place: PlaceRecords;
  /** Sources of other clients, by body. */
  readonly #others: ReadonlyMap<string, readonly Source[]>;
  /** Bodies of other clients, by the keys of their names. */
  readonly #byKey: ReadonlyMap<string, readonly string[]>;

  constructor(place: PlaceRecords) {
    this.#place = place;
    const others = [...place.sources].flatMap(([id, source]) =>
      source.publicBodyId === null || id === this.#sourceId(source.publicBodyId) ? [] : source,
    );
    this.#others = Map.groupBy(others, ({ publicBodyId }) => publicBodyId!);
    const shareable = [...place.bodies].filter(([id]) => this.#others.has(id) || this.#isShared(id));
    const named = shareable.flatMap(([id, body]) => this.#keys(id, body));
    const byKey = Map.groupBy(named, ([key]) => key);
    this.#byKey = new Map([...byKey].map(([key, entries]) => [key, entries.map(([, id]) => id)]));
  }

  /** The slug is that of the first name: a body that this client shares stays shared if another client renames it. */
  #keys(id: string, { name, slug }: Body): readonly (readonly [key: string, id: string])[] {
    const names = this.#isShared(id) ? [name, slug] : [name];
    return [...new Set(names.map((each) => this.#key(each)))].map((key) => [key, id]);
  }

  /** True if a source of another client or of the catalogue names the body. */
  isNamedByOthers(publicBodyId: string): boolean {
    return this.#others.has(publicBodyId);
  }

  /** True if another source that is read, or will be, states the body. */
  isStatedByOthers(publicBodyId: string): boolean {
    return this.#others.get(publicBodyId)?.some(({ active }) => active) === true;
  }

  /** True if this client has a source of the body that others name, or that was there before the source: a client's own body follows its source. */
  #isShared(publicBodyId: string): boolean {
    const { bodies, sources } = this.#place;
    const [source, body] = [sources.get(this.#sourceId(publicBodyId)), bodies.get(publicBodyId)];
    if (source === undefined || body === undefined) return false;
    return this.#others.has(publicBodyId) || source.createdAt > body.createdAt;
  }

  /**
   * Returns the published bodies of other clients that bodies of this client are, by the id at the source. `ofMeetings`: the
   * bodies of published meetings, by the same id, which identify a renamed body.
   */
  find(rows: readonly NamedRow[], ofMeetings: ReadonlyMap<number, ReadonlySet<string>>): ReadonlyMap<number, string> {
    const bodyIds = new Map<number, string>();
    const usedIds = new Set(rows.map(({ bodyId }) => this.#ownId(bodyId)));
    const add = (bodyId: number, id: string | null) => {
      if (id === null) return;
      bodyIds.set(bodyId, id);
      usedIds.add(id);
    };
    const named = rows.flatMap(({ bodyId, name }) => (name === null ? [] : { bodyId, key: this.#key(name) }));
    const unique = [...Map.groupBy(named, ({ key }) => key).values()].filter(({ length }) => length === 1);
    for (const { bodyId, key } of unique.flat()) add(bodyId, this.#sameName(bodyId, key, usedIds));
    for (const { bodyId } of rows.filter((row) => !bodyIds.has(row.bodyId)))
      add(bodyId, this.#ofMeetings(bodyId, ofMeetings.get(bodyId) ?? new Set(), usedIds));
    return bodyIds;
  }

  #ofMeetings(bodyId: number, ids: ReadonlySet<string>, usedIds: ReadonlySet<string>): string | null {
    const [id, ...others] = ids;
    if (id === undefined || others.length > 0 || usedIds.has(id)) return null;
    return this.#isShared(id) && !this.#place.bodies.has(this.#ownId(bodyId)) ? id : null;
  }

  /**
   * Returns the only body of another client with this name, of several the one that this client shares; null without one, or if the client's own
   * body stays.
   */
  #sameName(bodyId: number, key: string, usedIds: ReadonlySet<string>): string | null {
    const { bodies } = this.#place;
    const ownId = this.#ownId(bodyId);
    const own = bodies.get(ownId);
    const candidates = (this.#byKey.get(key) ?? []).filter(
      (id) => !usedIds.has(id) && (own === undefined || isOlder([id, bodies.get(id)!], [ownId, own])),
    );
    const shared = candidates.filter((id) => this.#isShared(id));
    const [candidate, ...others] = shared.length > 0 ? shared : candidates;
    if (candidate === undefined || others.length > 0) return null;
    return own === undefined || this.#canMove(ownId, own, candidate) ? candidate : null;
  }

  /** Two first syncs at the same time publish two bodies. The younger one moves soon or never, because customers might refer to it. */
  #canMove(ownId: string, own: Body, olderId: string): boolean {
    const isYoung = this.#place.now - Date.parse(own.createdAt) < MAX_AGE_TO_MOVE;
    return !this.isNamedByOthers(ownId) && (isYoung || this.#isShared(olderId));
  }

  #key(name: string): string {
    return bodyNameKey(name, this.#place.jurisdictionSlug);
  }

  #ownId(bodyId: number): string {
    return derivedBodyId(this.#place.client, bodyId);
  }

  #sourceId(publicBodyId: string): string {
    return derivedSourceId(this.#place.client, publicBodyId);
  }
}
