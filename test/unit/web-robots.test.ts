import { describe, expect, test } from 'vitest';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { readRobots, RobotsCache } from '../../infra/web/robots.ts';
import { sleepingClock } from '../support/web-site.ts';

const ORIGIN = 'https://www.example.gov';
const allows = (text: string, path: string): boolean => readRobots(ORIGIN, text)(new URL(path, ORIGIN));

describe('a robots.txt', () => {
  test.each([
    ['', '/AgendaCenter', true],
    ['<html><title>Not found</title>', '/AgendaCenter', true],
    ['User-agent: *\nDisallow:', '/AgendaCenter', true],
    ['User-agent: *\nDisallow: /', '/AgendaCenter', false],
    ['User-agent: *\nDisallow: /Agenda', '/AgendaCenter/ViewFile', false],
    ['User-agent: *\nDisallow: /admin', '/AgendaCenter', true],
    ['user-agent : *\r\ndisallow : /AgendaCenter # lists', '/AgendaCenter', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/files/agenda.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/files/agenda.pdf?version=2', true],
    ['User-agent: *\nDisallow: /files\nAllow: /files/agendas', '/files/agendas/1', true],
    ['User-agent: *\nDisallow: /*?html=true', '/AgendaCenter/ViewFile/Agenda/1?html=true', false],
    // Rules for other programs only.
    ['User-agent: Baiduspider\nUser-agent: GPTBot\nDisallow: /', '/AgendaCenter', true],
    ['User-agent: Baiduspider\nUser-agent: *\nDisallow: /', '/AgendaCenter', false],
    ['User-agent: *\nDisallow: /admin\nUser-agent: Baiduspider\nDisallow: /', '/AgendaCenter', true],
    // Rules for this program replace those for all; groups of one program are joined.
    ['User-agent: *\nDisallow: /\nUser-agent: civic-records\nDisallow: /admin', '/AgendaCenter', true],
    ['User-agent: *\nDisallow: /a\n\nUser-agent: Civic-Records/2.0\nDisallow: /b', '/b', false],
    ['User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b', '/a', false],
  ])('%j permits %s: %s', (text, path, isAllowed) => {
    expect(allows(text, path)).toBe(isAllowed);
  });

  test('with many groups and rules is read in proportion to its length, and refuses what costs too much', () => {
    const groups = `${'User-agent: *\nUser-agent: a\n'.repeat(8_000)}${'Disallow: /b\n'.repeat(15_000)}`;
    expect(allows(groups, '/AgendaCenter')).toBe(true);
    const wildcards = `User-agent: *\n${`Disallow: ${'/*a'.repeat(100)}b\n`.repeat(1_600)}`;
    expect(allows(wildcards, `/${'a'.repeat(1_000)}`)).toBe(false);
  });
});

describe('the rules of a host', () => {
  test('are read once for all that wait, and again if the first reader was aborted', async () => {
    const cache = new RobotsCache(sleepingClock());
    const { promise, reject } = Promise.withResolvers<never>();
    const first = cache.rulesOf(ORIGIN, undefined, () => promise);
    let reads = 0;
    const read = async () => {
      reads += 1;
      return () => true;
    };
    const others = [cache.rulesOf(ORIGIN, undefined, read), cache.rulesOf(ORIGIN, undefined, read)];
    reject(new Error('aborted'));
    await expect(first).rejects.toThrow('aborted');
    await Promise.all(others);
    expect(reads).toBe(1);
  });

  test('that could not be read are read again by the next request', async () => {
    const cache = new RobotsCache(sleepingClock());
    const broken = cache.rulesOf(ORIGIN, undefined, () => Promise.reject(new SourceUnavailable('status 503')));
    await expect(broken).rejects.toThrow('status 503');
    expect((await cache.rulesOf(ORIGIN, undefined, async () => () => false))(new URL(ORIGIN))).toBe(false);
  });
});
