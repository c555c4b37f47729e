import { describe, expect, it } from 'vitest';
import { RecordGone, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import type { AgendaReader } from '../../domain/ports/source-ports.ts';
import { surveyAgendas } from '../../src/sources/agendas/survey.ts';
import { probeRows } from '../../src/sources/registry/probe-registry.ts';
import { parseRegistryRows, type RegistryRow } from '../../src/sources/registry/registry.ts';
import type { SourceSurvey, SurveyClient } from '../../src/sources/source.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const FOUND: SourceSurvey = {
  bodies: ['City Council', 'Planning and Zoning Commission'],
  newestMeeting: '2026-12-08',
  newestAgenda: '2026-11-24',
  agendaForm: 'pdf',
};
const row = (client: string, changes: Partial<RegistryRow> = {}): RegistryRow => ({
  jurisdictionSlug: 'dublin',
  bodySlug: 'city-council',
  bodyName: 'City Council',
  platform: 'legistar',
  client,
  evidence: 'listed',
  evidenceDate: '2020',
  note: 'Invented.',
  ...changes,
});

interface Probe {
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}
const probe = (rows: readonly RegistryRow[], survey: SurveyClient, { signal, deadlineMs = 60_000 }: Probe = {}) =>
  probeRows(rows, {
    survey,
    clock: { now: () => NOW },
    signal: signal ?? new AbortController().signal,
    progress: () => undefined,
    deadlineMs,
  });
const failing = (failure: Error) =>
  probe([row('a')], async () => {
    throw failure;
  });
const hanging: SurveyClient = (_, { signal }) =>
  new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)));

describe('a probe of the registry', () => {
  it('returns rows with evidence and answer that can be put back into the registry', async () => {
    const rows = [row('a', { onlyOld: true }), row('a', { bodySlug: 'planning-and-zoning' })];
    const answered = await probe(rows, () => Promise.resolve(FOUND));
    const { bodies, ...newest } = FOUND;
    expect(answered[0]).toEqual({
      ...row('a'),
      evidence: 'seen',
      evidenceDate: '2026-11-29',
      answer: { probedOn: '2026-11-29', result: 'answered', bodies: 2, bodyNames: bodies, ...newest },
    });
    expect(answered[1]).toMatchObject({ bodySlug: 'planning-and-zoning', evidence: 'seen' });
    expect(parseRegistryRows(JSON.parse(JSON.stringify(answered)))).toEqual(answered);
  });

  it('asks each client once, with the options of its rows, and the clients of a platform one after another', async () => {
    const requests: unknown[] = [];
    let running = 0;
    const survey: SurveyClient = async (source, { client, options }) => {
      requests.push([source, client, options]);
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      return FOUND;
    };
    await probe(
      [
        row('a', { platform: 'swagit', options: { view: '5' }, baseUrl: 'https://example.org/' }),
        row('a', { platform: 'swagit', options: { view: '5' }, bodySlug: 'planning-and-zoning' }),
        row('b', { platform: 'swagit' }),
      ],
      survey,
    );
    expect(requests).toEqual([
      ['swagit', 'a', { view: '5', baseUrl: 'https://example.org/' }],
      ['swagit', 'b', {}],
    ]);
  });

  it.each([
    ['gone', new UnknownSourceClient('the source does not know the client')],
    ['gone', new RecordGone('/AgendaCenter is gone (status 404)')],
    ['refused', new SourceUnavailable('refused by robots.txt: /AgendaCenter')],
    ['refused', new SourceUnavailable('the source refused /v1/a/bodies with status 403')],
    ['refused', new SourceUnavailable('this client needs a token; the source answered with status 403')],
    ['unreachable', new SourceUnavailable('the source could not be read at /v1: fetch failed (ECONNREFUSED)')],
  ])('calls a client %s that fails because %s, and leaves its evidence', async (result, error) => {
    expect(await failing(error)).toMatchObject([
      { evidence: 'listed', evidenceDate: '2020', answer: { result, reason: error.message } },
    ]);
  });

  it('skips a client that does not answer in time, and stops on request', async () => {
    const [late] = await probe([row('a')], hanging, { deadlineMs: 5 });
    expect(late!.answer).toMatchObject({ result: 'unreachable', reason: 'no complete answer in time' });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(probe([row('a')], hanging, { signal: stopped })).rejects.toThrow('stopped');
  });

  it('does not call a client seen that lists no bodies, and marks one without a meeting in a year', async () => {
    const nothing = { ...FOUND, bodies: [], newestMeeting: null, newestAgenda: null };
    const [empty] = await probe([row('a')], () => Promise.resolve(nothing));
    expect(empty).toMatchObject({ evidence: 'listed', answer: { result: 'answered', bodies: 0 } });
    const [old] = await probe([row('a')], () => Promise.resolve({ ...nothing, bodies: ['City Council'] }));
    expect(old).toMatchObject({ evidence: 'seen', onlyOld: true });
  });

  it('throws an error that no source caused', async () => {
    await expect(failing(new TypeError('a defect'))).rejects.toThrow('a defect');
  });
});

describe('the survey of a client', () => {
  const survey = (events: readonly unknown[], from: string[] = []) =>
    surveyAgendas(
      {
        bodies: async () => [{ BodyName: ' City  Council ' }, { BodyId: 1 }],
        events: async (day: string) => (from.push(day), events),
      } as unknown as AgendaReader,
      NOW,
    );

  it('has the newest meeting and the newest agenda with its form, without hidden and impossible days', async () => {
    const from: string[] = [];
    const events = [
      { EventDate: '2026-12-08T00:00:00', EventAgendaFile: null },
      { EventDate: '2026-11-24T00:00:00', EventAgendaFile: 'https://example.org/files/Agenda.PDF?x=1' },
      { EventDate: '2026-11-10', EventAgendaFile: 'https://example.org/a?html=true' },
      { EventDate: '2026-12-20', EventAgendaFile: 'https://example.org/b', EventHidden: 'deleted' },
      { EventDate: '2206-01-01', EventAgendaFile: 'https://example.org/c' },
      { EventDate: 'soon' },
      null,
    ];
    expect(await survey(events, from)).toEqual({
      bodies: ['City Council'],
      newestMeeting: '2026-12-08',
      newestAgenda: '2026-11-24',
      agendaForm: 'pdf',
    });
    expect(from).toEqual(['2025-11-28']);
  });

  it.each([
    ['https://example.org/AgendaCenter/ViewFile/Agenda/_03172026-1?html=true', 'html'],
    ['https://example.org/AgendaCenter/ViewFile/Agenda/_03172026-1', null],
    ['no address', null],
  ])('reads the form of %s as %s', async (address, form) => {
    expect(await survey([{ EventDate: '2026-11-24', EventAgendaFile: address }])).toMatchObject({ agendaForm: form });
  });
});
