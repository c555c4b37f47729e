import type { VerifiedRecord } from '../../../../commands/reports/report-decider.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import type { FoundResource } from '../../../../domain/records/external-ids.ts';
import type { Candidate } from './candidates.ts';

/** Sentences of an answer. Each states what a record or a check shows, without conclusions. */
const MAX_FINDING_LENGTH = 1000;
const MAX_TITLE_LENGTH = 300;
const MAX_NOTE_LENGTH = 4000;

/** Cuts to a number of characters, never inside a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const WORDS: Readonly<Record<FoundResource, string>> = {
  meetings: 'meeting',
  agendas: 'agenda',
  agenda_items: 'agenda item',
  documents: 'document',
  stream_records: 'record',
};

function where({ jurisdictionName, bodyName, date }: Candidate): string {
  const who = [jurisdictionName, bodyName].filter((name) => name !== null).join(' ');
  return `${who === '' ? '' : `, ${who}`}${date === null ? '' : `, ${date}`}`;
}

export const describe = (candidate: Candidate): string =>
  `${WORDS[candidate.resource]} "${cut(candidate.title, 160)}"${where(candidate)} (${candidate.id})`;

function several(candidates: readonly Candidate[]): string {
  const [first] = candidates;
  return `${describe(first!)}${candidates.length === 1 ? '' : ` and ${candidates.length - 1} more`}`;
}

export const publishedFinding = (candidates: readonly Candidate[], since: string): string =>
  cut(`Published by this service since ${since}: ${several(candidates)}.`, MAX_FINDING_LENGTH);

export const arrivedFinding = (candidates: readonly Candidate[], since: string): string =>
  cut(`Published by this service on ${since}, after the report: ${several(candidates)}.`, MAX_FINDING_LENGTH);

export const verified = (candidates: readonly Candidate[]): readonly VerifiedRecord[] =>
  candidates.map(({ id, url, title }) => ({ itemId: id, sourceUrl: url, title: cut(title, MAX_TITLE_LENGTH) }));

const sourceName = ({ sourceTypeLabel, officialSourceUrl, id }: RecordData<'sources'>): string =>
  `${sourceTypeLabel} source ${officialSourceUrl ?? id}`;

export const failingFinding = (sources: readonly RecordData<'sources'>[]): string =>
  cut(
    sources
      .map((source) => {
        const success =
          source.lastSuccessfulCheckAt === null ? 'no check has succeeded yet' : `the last success was ${source.lastSuccessfulCheckAt}`;
        return `The last check of the ${sourceName(source)} failed${source.lastCheckedAt === null ? '' : ` (${source.lastCheckedAt})`}; ${success}.`;
      })
      .join(' '),
    MAX_FINDING_LENGTH,
  );

export const readableAgainFinding = (sources: readonly RecordData<'sources'>[]): string =>
  cut(
    sources
      .map(
        (source) =>
          `The ${sourceName(source)} was read successfully${source.lastSuccessfulCheckAt === null ? '' : ` on ${source.lastSuccessfulCheckAt}`}.`,
      )
      .join(' '),
    MAX_FINDING_LENGTH,
  );

export const undecodableFinding = (agendas: readonly Candidate[], sources: readonly RecordData<'sources'>[]): string =>
  cut(
    agendas.length > 0
      ? `The ${several(agendas)} was found to have no text layer.`
      : sources.map((source) => `Agendas of the ${sourceName(source)} were found to have no text layer.`).join(' '),
    MAX_FINDING_LENGTH,
  );

const describeSource = (source: RecordData<'sources'>): string =>
  `${sourceName(source)}: ${source.status}, last success ${source.lastSuccessfulCheckAt ?? 'never'}, text ${source.agendaTextEvidence ?? 'not known'}`;

export interface NoteFacts {
  readonly possible: readonly Candidate[];
  readonly sources: readonly RecordData<'sources'>[];
  /** Older open reports of the same record, of any account. */
  readonly same: readonly string[];
}

const SHOWN = 8;
const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? [`${title}: none`]
    : [`${title}: ${lines.length}`, ...lines.slice(0, SHOWN).map((line) => `- ${line}`), ...(lines.length > SHOWN ? ['- …'] : [])];

/** What a person needs to continue. */
export const investigatorNote = ({ possible, sources, same }: NoteFacts): string =>
  cut(
    [
      'No published record could be matched to the report beyond doubt.',
      ...list('published records that share an address, an id or a title with the report', possible.map(describe)),
      ...list('active sources at its address or in its place', sources.map(describeSource)),
      ...list('older open reports about the same record', same),
    ].join('\n'),
    MAX_NOTE_LENGTH,
  );
