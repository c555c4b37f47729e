import { describe, expect, it } from 'vitest';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';
import { sampleRecords, sampleRemovals } from '../../src/sources/sample/sample-records.ts';

const NOW = Date.parse('2026-03-02T15:00:00Z');

const parsed = (now: number): { id: string; resource: string; data: Record<string, unknown> }[] =>
  sampleRecords(now).map((change) => {
    if (change.op !== 'upsert') throw new Error('the sample only upserts');
    return { id: change.id, resource: change.resource, data: RECORD_SCHEMAS[change.resource].parse(change.content) };
  });

describe('the sample', () => {
  it('is about forty valid records with ids that do not depend on the time', () => {
    const records = parsed(NOW);
    expect(records.length).toBeGreaterThanOrEqual(30);
    expect(records.length).toBeLessThanOrEqual(50);
    expect(records.map((record) => record.id)).toEqual(parsed(NOW + 86_400_000 * 45).map((record) => record.id));
    expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
  });

  it('begins every title with "Sample:" and has only addresses under example.org', () => {
    for (const { data } of parsed(NOW)) {
      if ('title' in data) expect(String(data.title)).toMatch(/^Sample: /);
      if ('name' in data) expect(String(data.name)).toMatch(/^Sample\b/);
      for (const key of ['url', 'sourceUrl', 'officialSourceUrl', 'officialWebsiteUrl'])
        if (key in data) expect(new URL(String(data[key])).hostname).toBe('example.org');
    }
  });

  it('claims nothing: its place and body are named as invented, and its source was never checked', () => {
    const named = parsed(NOW).filter(({ resource }) => ['jurisdictions', 'public_bodies'].includes(resource));
    expect(named.map(({ data }) => data.name)).toEqual(['Sample City (invented)', 'Sample: City Council (invented)']);
    const source = parsed(NOW).find(({ resource }) => resource === 'sources')?.data;
    expect(source).toMatchObject({
      status: 'unknown',
      lastCheckedAt: null,
      lastSuccessfulCheckAt: null,
      agendaTextEvidence: null,
    });
    for (const { data } of parsed(NOW).filter(({ resource }) => resource === 'meetings'))
      expect(data.title).toMatch(/\(invented\)$/);
  });

  it('has meetings before and after now, and one that is cancelled', () => {
    const meetings = parsed(NOW).filter((record) => record.resource === 'meetings');
    const times = meetings.map((meeting) => Date.parse(String(meeting.data.startsAt)));
    expect(times.some((time) => time < NOW)).toBe(true);
    expect(
      meetings
        .filter((meeting) => meeting.data.status === 'scheduled')
        .map((meeting) => Date.parse(String(meeting.data.startsAt)) > NOW),
    ).toEqual([true, true]);
    expect(meetings.filter((meeting) => meeting.data.status === 'cancelled')).toHaveLength(1);
  });

  it('keeps the local hour of a meeting across a daylight-saving change', () => {
    const next = parsed(NOW).find((record) => record.data.sourceRecordId === 'next-1');
    expect(next?.data.startsAt).toBe('2026-03-16T23:00:00.000Z');
  });

  it('is removed record by record', () => {
    expect(new Set(sampleRemovals().map((change) => change.id))).toEqual(
      new Set(sampleRecords(NOW).map((change) => change.id)),
    );
  });
});
