import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { uuidOf } from './records.ts';

/** Jurisdictions, each with one body. */
export const PLACES = 40;
const ITEMS_A_MEETING = 25;
const YEARS = 12;
const FIRST = Date.UTC(2014, 0, 6, 15);
const LAST = FIRST + YEARS * 365 * 86_400_000;
const VOCABULARY = 60_000;
const TITLE_WORDS = 14;
const TEXT_WORDS = 45;

const CONSONANTS = [
  'b',
  'br',
  'c',
  'cr',
  'd',
  'dr',
  'f',
  'g',
  'gl',
  'h',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou', 'ai'];

/** The word of this place in the order of how common words are; 0 is the commonest. */
export function wordAt(place: number): string {
  let [rest, word] = [place + 500, ''];
  while (rest > 0) {
    word += CONSONANTS[rest % CONSONANTS.length]! + VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length]!;
    rest = Math.floor(rest / (CONSONANTS.length * VOWELS.length));
  }
  return `${word}n`;
}

/** Numbers that look random and depend on the seed alone. */
export function numbers(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A word as often as its place says: the n-th commonest is met about 1/n times as often as the commonest. */
const someWord = (random: () => number): string => wordAt(Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1);

const sentence = (random: () => number, words: number): string =>
  Array.from({ length: words }, () => someWord(random)).join(' ');

const place = (index: number) => ({
  jurisdiction: {
    slug: `place-${index}`,
    name: `City of ${wordAt(2000 + index)}`,
    level: 'city',
    kind: 'city',
    countySlugs: [],
    timezone: 'America/Chicago',
    active: true,
  },
  body: {
    jurisdictionId: uuidOf('search place', index),
    slug: 'city-council',
    name: 'City Council',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: 'America/Chicago',
    active: true,
  },
});

const meeting = (index: number, meetings: number) => ({
  publicBodyId: uuidOf('search body', index % PLACES),
  title: 'Session',
  startsAt: new Date(FIRST + Math.floor(((LAST - FIRST) * index) / meetings)).toISOString(),
  timezone: 'America/Chicago',
  status: 'held',
  sourceUrl: `https://records.example.org/meetings/${index}`,
});

function item(index: number) {
  const random = numbers(index);
  return {
    meetingId: uuidOf('search meeting', Math.floor(index / ITEMS_A_MEETING)),
    sequence: index % ITEMS_A_MEETING,
    title: sentence(random, TITLE_WORDS),
    text: sentence(random, TEXT_WORDS),
    matterFile: String(index).padStart(7, '0'),
    sourceUrl: `https://records.example.org/items/${index}`,
  };
}

type Change = { readonly resource: string; readonly id: string; readonly data: object };

/** Places, their meetings over twelve years, and so many items with words of which few are common and most are rare. */
function* searchRecords(items: number): Generator<Change> {
  for (let index = 0; index < PLACES; index++) {
    const { jurisdiction, body } = place(index);
    yield { resource: 'jurisdictions', id: uuidOf('search place', index), data: jurisdiction };
    yield { resource: 'public_bodies', id: uuidOf('search body', index), data: body };
  }
  const meetings = Math.ceil(items / ITEMS_A_MEETING);
  for (let index = 0; index < items; index++) {
    if (index % ITEMS_A_MEETING === 0) {
      const number = index / ITEMS_A_MEETING;
      yield { resource: 'meetings', id: uuidOf('search meeting', number), data: meeting(number, meetings) };
    }
    yield { resource: 'agenda_items', id: uuidOf('search item', index), data: item(index) };
  }
}

/** Writes them as NDJSON; returns the number of lines. */
export async function writeSearchFile(path: string, items: number): Promise<number> {
  const file = createWriteStream(path);
  let [lines, text] = [0, ''];
  for (const record of searchRecords(items)) {
    text += `${JSON.stringify({ op: 'upsert', ...record })}\n`;
    lines += 1;
    if (lines % 500 !== 0) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'finish');
  return lines;
}
