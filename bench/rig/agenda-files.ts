import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesAsTexts, smallPdf } from '../../test/support/small-pdf.ts';

const SUBJECTS = [
  'Approve the minutes of the meeting held two weeks ago',
  'Award a contract for the repair of a bridge over the creek',
  'Hold a public hearing on a change of zoning from agricultural to single-family residential',
  'Adopt an ordinance on the fees for permits of the health department',
  'Receive a presentation on the budget of the coming year',
];
const ITEMS_ON_PAGE = 10;

const pageOfAgenda = (page: number, department: string): readonly string[] => [
  ...(page === 0 ? ['City Council', 'Regular Meeting', 'March 3, 2026 at 6:30 PM', 'Agenda'] : []),
  ...Array.from({ length: ITEMS_ON_PAGE }, (_, index) => page * ITEMS_ON_PAGE + index).flatMap((number) => [
    `${number + 1}. ${SUBJECTS[number % SUBJECTS.length]}`,
    `  in precinct ${number % 4}, as described in the attached report of ${department}.`,
  ]),
];

/** Returns an agenda in PDF. Another department makes another file. */
export const agendaPdf = (pages: number, department = 'the department'): Uint8Array =>
  smallPdf(Array.from({ length: pages }, (_, page) => linesAsTexts(pageOfAgenda(page, department))));

export interface AgendaFiles extends AsyncDisposable {
  readonly paths: readonly string[];
  readonly pages: number;
}

/** Writes agendas in PDF with these numbers of pages into a new folder, which is removed at the end. */
export function writeAgendaFiles(pageCounts: readonly number[]): AgendaFiles {
  const folder = mkdtempSync(join(tmpdir(), 'civic-bench-agendas-'));
  const paths = pageCounts.map((pages, index) => {
    const path = join(folder, `${index}.pdf`);
    writeFileSync(path, agendaPdf(pages));
    return path;
  });
  return {
    paths,
    pages: pageCounts.reduce((sum, pages) => sum + pages, 0),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
