import { expect, test } from 'vitest';
import { agendaRows } from '../../src/sources/civicweb/agenda-rows.ts';

test.each(['<tr', '<td', '<a ', '<a href="/document/1/">'])('an agenda of 300,000 characters of unclosed %s is read in one pass', (tag) => {
  const html = `<tr><td>A.</td><td>${tag.repeat(300_000 / tag.length)}</td></tr>`;
  expect(agendaRows(1, html, 'https://portal.example').length).toBeLessThanOrEqual(1);
  expect(agendaRows(1, tag.repeat(300_000 / tag.length), 'https://portal.example')).toEqual([]);
});
