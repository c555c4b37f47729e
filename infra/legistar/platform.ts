import type { AgendaReader } from '../../domain/ports/source-ports.ts';

export const legistarPlatform = (client: string): AgendaReader['platform'] => ({
  sourceType: 'legistar',
  label: 'Legistar',
  calendarUrl: `https://${client}.legistar.com/Calendar.aspx`,
});
