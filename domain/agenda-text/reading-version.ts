/**
 * Raise after a change of the rules that read agendas in documents. Stored agendas of another version are read again
 * when their meeting is read; raise `READING_VERSION` of the sources too, so that every meeting is.
 */
export const AGENDA_TEXT_VERSION = 4;
