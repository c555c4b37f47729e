import { linesAsTexts, smallPdf } from './small-pdf.ts';

const LINES_PER_PAGE = 22;

/** A PDF of an agenda with the meeting in its head. */
export function agendaPdf(lines: readonly string[], day = 'Tuesday, December 8, 2026', time = '6:30 P.M.') {
  const all = ['CITY COUNCIL', 'REGULAR MEETING AGENDA', `${day} at ${time}`, 'Council Chambers', ...lines];
  const pages = Array.from({ length: Math.ceil(all.length / LINES_PER_PAGE) }, (_, page) =>
    linesAsTexts(all.slice(page * LINES_PER_PAGE, (page + 1) * LINES_PER_PAGE)),
  );
  return smallPdf(pages);
}

export const AGENDA_LINES = [
  '1. CALL TO ORDER',
  '2. CONSENT AGENDA',
  'A. Consider approval of the minutes of the November 24 regular meeting',
  'B. Consider a resolution awarding a bid for street repair on Main Street',
  '3. PUBLIC HEARINGS',
  'A. Hold a public hearing on a zoning change at 100 Oak Lane',
  'B. Consider an ordinance that rezones 12 acres on Farm Road 7',
  '4. ADJOURN',
];
