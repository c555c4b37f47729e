import type { RecordData } from '../../domain/records/resources.ts';

/** Whole titles of headings and of steps of every meeting. */
const HEADING = new RegExp(
  `^(?:[ivx]+\\.|\\d+\\.|[a-z]\\.)?\\s*(?:${[
    'page break',
    '(?:other )?(?:consent|voting|regular|action|work session|public hearing|briefing|individual) (?:agenda|items?)(?: items?)?',
    '(?:other )?items? for (?:individual|further) consideration',
    'public hearings?(?: and related actions)?',
    '(?:zoning|plats?|platting|hearings?|miscellaneous hearings|zoning cases?|development code amendments?|thoroughfare plan amendments?)',
    'street name changes?',
    'special provision sign districts?',
    'additions?|deletions?|agenda additions?|addendum',
    'call to order|roll call|adjourn(?:ment)?|recess|reconvene|quorum|announcements?|proclamations?|presentations?|briefings?',
    'invocation(?: and pledge of allegiance)?|pledges?(?: of allegiance)?|moment of silence|opening ceremon(?:y|ies)',
    '(?:closed|executive) session',
    '(?:public|citizens?|visitors?|audience) (?:comments?|presentations?|forum|participation|input|hearing comments)',
    '(?:agenda item/)?open microphone(?: speakers)?',
    '(?:old|new|unfinished|other) business',
    'minutes',
    'informal reports?|staff reports?|reports?(?: of the city manager)?',
    'resolutions?|ordinances?|contracts?|appointments?|board appointments?|claims?|purchases?|land|general',
  ].join('|')})(?:\\s*[-–—:]\\s*(?:consent|individual|under advisement|items?|general|continued|cont\\.?|\\s|[-–—:])*)?[.:]?$`,
  'i',
);

/** The beginning of a formality: minutes, notes on the order of business, how to attend, what happens behind closed doors. */
const OPENING = new RegExp(
  `^(?:${[
    '(?:(?:consider(?:ation)?|discuss|review|accept|approv(?:e|al))(?: and (?:approve|act(?:ion)?))?(?: of)?(?: on)?(?: the)? )?(?:\\S+ ){0,6}minutes(?: [-–—]| of| from| for|$)',
    'note:',
    'notes?\\b.{0,20}\\bagenda item',
    'agenda (?:special called )?(?:city council|commission|board|council)?.{0,40}order of business',
    'invocation\\b',
    'pledge\\b',
    'public hearings will not be heard',
    'notices? of claims?',
    'presentation (?:of|by|to)\\b',
    'recognition\\b',
    'proclamation\\b',
    'the above schedule',
    'closed session\\b',
    'executive session\\b',
    'attorney briefings?\\b',
    'personnel matters?\\b',
    'real estate \\(sec',
    'deliberat(?:e|ion)s?\\b',
    'the (?:special called |regular )?(?:city council|commission\\S* court|commissioners court|board|commission|council)(?: special called| regular)? meeting (?:will be held|scheduled)',
    'individuals? who wish',
    'persons? (?:who wish|with disabilit|wishing)',
    'members of the public',
    'the public (?:is|may)',
    'a quorum',
    'pursuant to section 30\\.0[67]',
    'handgun prohibition',
  ].join('|')})`,
  'i',
);

/** Words of the open meetings acts: an item that opens with them is heard behind closed doors. Further on they say that it may be. */
const CLOSED_WITHIN = 60;
const CLOSED_DOORS = /\bT\.?O\.?M\.?A\b|\b(?:sec(?:tion|s)?\.?|§+)\s*551\.0[78]\d|\bclosed session\b|\bexecutive session\b/i;

/** How to attend or to speak, wherever it stands. */
const ATTENDANCE =
  /\bheld by videoconference\b|\bwho wish(?:es)? to speak\b|\bto (?:view|watch|attend) the meeting\b|\bmeeting (?:link|number|password)\b/i;

/** The name of a part of the administration, by which agendas group their items. */
const UNIT =
  /^(?:(?:the )?(?:department|office|division|bureau) of .*|[^.;:$\d]*\b(?:department|office|services|division|library|court|judiciary|solutions|service))$/i;

const unnumbered = (item: RecordData<'agenda_items'>): boolean => item.agendaNumber === null && item.matterFile === null;
const wordCount = (title: string): number => title.split(/\s+/).length;
const isShout = (title: string): boolean => !/\p{Ll}/u.test(title) && wordCount(title) <= 8 && !/\d/.test(title);

/**
 * Whether an item decides nothing that a topic could be about: a heading, a page break, a note on the agenda, a step of every meeting, how
 * to attend, or a closed session. A short title in capitals or a department's name is a heading only where the item has neither number nor file.
 */
export const isFormality = (item: RecordData<'agenda_items'>): boolean => {
  const { title } = item;
  if (HEADING.test(title) || OPENING.test(title) || ATTENDANCE.test(title) || CLOSED_DOORS.test(title.slice(0, CLOSED_WITHIN))) return true;
  if (/^(?:closed|executive) session\b|^minutes$|^special presentations?\b|^public presentations?\b|^claims?$/i.test(item.matterType ?? ''))
    return true;
  return unnumbered(item) && item.text === null && (isShout(title) || (UNIT.test(title) && wordCount(title) <= 9));
};
