import type { PartyFact, PartyRole } from './facts.ts';
import { endOfName, hasCompanySuffix } from './names.ts';
import { phraseText, quote, type Reading, type Token } from './tokens.ts';
import { wordSet } from '../text/words.ts';

/** Phrases directly before a name. */
const BEFORE_NAME: readonly (readonly [PartyRole, readonly string[]])[] = [
  [
    'applicant',
    [
      ...[
        'application of',
        'application by',
        'application from',
        'application for',
        'applicant',
        'applicants',
        'applicant :',
        'requested by',
        'request by',
      ],
      ...[
        'request of',
        'request from',
        'petition by',
        'petition of',
        'petition from',
        'appeal of',
        'appeal by',
        'submitted by',
        'permit to',
        'permit for',
      ],
      ...[
        'permits to',
        'variance for',
        'variance to',
        'license to',
        'license for',
        'petitioner',
        'petitioner :',
        'requestor :',
      ],
    ],
  ],
  [
    'grantee',
    [
      'grant to',
      'grants to',
      'donation to',
      'incentive to',
      'incentives to',
      'funding to',
      'abatement to',
      'abatement for',
      'loan to',
      'subrecipient',
    ],
  ],
  ['owner', ['owned by', 'owner', 'owners', 'owner :', 'property of', 'owners :']],
  ['opponent', ['lawsuit styled', 'styled', 'claim of', 'claims of', 'lawsuit by', 'against']],
];
const CONTRACT_WORDS = wordSet(
  'contract contracts agreement agreements lease amendment order purchase proposal proposals bid bids award services service renewal extension license sublease mou memorandum easement payment acquisition invoice partnership contracting',
);
const VENDOR_LINKS = wordSet('with to from by between and');
const AFTER_NAME_REQUESTS = wordSet('requests requesting request');
/** A name that ends in one of these is a part of the government itself. */
const OWN_PARTS = wordSet(
  'department departments division office commission committee council board staff manager attorney mayor secretary clerk court commissioners trustees directors director sheriff superintendent administrator',
);
const OTHER_GOVERNMENT = wordSet('state states federal university texas');
const OWN_NAMES = wordSet('city county town village township district government mayor council texas state');
const CONTRACT_REACH = 16;

/** Whether the name can be a party: no part of the government itself, no bare "City". */
function isParty(tokens: readonly Token[], from: number, to: number): boolean {
  const words = tokens.slice(from, to);
  if (words.length === 1 && (OWN_NAMES.has(words[0]!.word) || !/\p{L}{2}/u.test(words[0]!.text))) return false;
  if (words.every(({ kind }) => kind !== 'word')) return false;
  const isOwn = OWN_PARTS.has(words.at(-1)!.word) || words[0]!.word === 'department' || words[0]!.word === 'office';
  return !isOwn || words.some(({ word }) => OTHER_GOVERNMENT.has(word));
}

function endsWithPhrase(context: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => context.endsWith(` ${phrase} `));
}

/** The role that the words before the name at `at` give it. */
function roleBefore(tokens: readonly Token[], at: number): PartyRole | null {
  const before = tokens[at - 1]?.word === 'the' ? at - 1 : at;
  const context = phraseText(tokens, before - 3, before);
  for (const [role, phrases] of BEFORE_NAME) if (endsWithPhrase(context, phrases)) return role;
  const link = tokens[before - 1];
  if (link === undefined || !VENDOR_LINKS.has(link.word)) return null;
  for (let back = before - 2; back >= 0 && before - back < CONTRACT_REACH; back--) {
    const { word, text } = tokens[back]!;
    if (text === '.' || text === ';') return null;
    if (CONTRACT_WORDS.has(word)) return 'vendor';
  }
  return null;
}

/** The role that the words after the name give it. */
function roleAfter(tokens: readonly Token[], from: number, to: number): PartyRole | null {
  const isFirst = from === 0 || tokens[from - 1]!.kind === 'mark';
  if (isFirst && AFTER_NAME_REQUESTS.has(tokens[to]?.word ?? '')) return 'applicant';
  const after = tokens[to]?.word;
  if ((after === 'v' || after === 'vs') && tokens[from]!.word !== 'city') return 'opponent';
  return null;
}

/** The parties that an item names with their roles. A name whose role the text does not show is left out. */
export function partiesOf(reading: Reading): PartyFact[] {
  const { tokens } = reading;
  const facts: PartyFact[] = [];
  const names = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const end = endOfName(tokens, at);
    if (end === at) continue;
    const role = isParty(tokens, at, end) ? (roleAfter(tokens, at, end) ?? roleBefore(tokens, at)) : null;
    const quoted = quote(reading, at, end - 1);
    if (role !== null && !names.has(quoted.sourceText)) {
      names.add(quoted.sourceText);
      facts.push({ ...quoted, name: quoted.sourceText, role });
    }
    at = end - 1;
  }
  return facts;
}
