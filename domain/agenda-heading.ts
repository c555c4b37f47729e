import type { RecordData } from './records/resources.ts';

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
  ].join('|')})(?:\\s*[-–—:](?:consent|individual|under advisement|items?|general|continued|cont\\.?|\\s|[-–—:])*)?[.:]?$`,
  'i',
);

/** The name of a part of the administration, by which agendas group their items: words that begin with a capital, and no verb or object. */
const UNIT =
  /^(?:(?:The )?(?:Department|Office|Division|Bureau) of .*|(?:(?:\p{Lu}[^\s.;:$\d]*|and|&) )*(?:Department|Office|Services|Division|Library|Court|Judiciary|Solutions|Service))$/u;

/** No heading is longer; titles of sources have no limit of their own. */
const MAX_LENGTH = 200;
const wordCount = (title: string): number => title.split(/\s+/).length;
const isCapitals = (title: string): boolean => !/\p{Ll}/u.test(title) && wordCount(title) <= 8 && !/\d/.test(title);

export function isHeadingTitle(title: string): boolean {
  return title.length <= MAX_LENGTH && HEADING.test(title);
}

/** Whether the title could head a group of items: a few words in capitals, or the name of a part of the administration. */
export function isGroupTitle(title: string): boolean {
  return title.length <= MAX_LENGTH && (isCapitals(title) || (UNIT.test(title) && wordCount(title) <= 9));
}

/** A section may have a letter or a Roman numeral. */
const SECTION = /^(?:[a-z]|[ivx]+)[.)]?$/i;

/**
 * A section heading, which a search does not show: the source gives a title and at most the letter of a section, and it heads a meeting's step
 * or a group. With a letter it may be an item of a numbered section, so that only a usual title counts.
 */
export function isHeading({ title, agendaNumber, matterFile, matterType, text, actionText, outcome }: RecordData<'agenda_items'>): boolean {
  if ([matterFile, matterType, text, actionText, outcome].some((field) => field !== null)) return false;
  if (agendaNumber !== null) return SECTION.test(agendaNumber) && isHeadingTitle(title);
  return isHeadingTitle(title) || isGroupTitle(title);
}
