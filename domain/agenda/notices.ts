import { anyOf, anyPhrase, anyWord } from '../text/patterns.ts';
import { MONTHS } from '../months.ts';

/** Maximum characters of a row that are read: the first sentences show whether it is a notice. */
const MAX_NOTICE = 2_000;

const DATE = `(?:\\b(?:${MONTHS.join('|')}) \\d{1,2}\\b|\\b\\d{1,2}/\\d{1,2}/\\d{2,4}\\b)`;

/** Marks of the layout. */
const LAYOUT = new RegExp(
  `^[^\\p{L}\\p{N}]*(?:${[
    '(?:insert )?page ?-? ?break',
    '(?:blank|empty) (?:page|line|row)',
    'end of (?:the )?(?:page|(?:consent )?agenda)',
    '(?:this )?page (?:is )?(?:intentionally )?(?:left )?blank',
    'intentionally left blank',
    'page \\d+(?: of \\d+)?',
    'continued on (?:the )?next page',
  ].join('|')})?[^\\p{L}\\p{N}]*$`,
  'iu',
);

/** The agenda's own name with its day: "AGENDA, COUNCIL MEETING, MONDAY, MAY 4, 2026, ORDER OF BUSINESS". */
const AGENDA_NAME = new RegExp(
  `^\\W*(?:(?:final|revised|amended|draft|tentative|meeting|public) )?(?:agenda|notice of (?:an? |the )?(?:\\S+ ){0,5}meeting)\\b.{0,120}(?:order of business|${DATE})\\W*(?:\\d{4}\\W*)?(?:order of business)?\\W*$`,
  'i',
);

/**
 * True if a row is a mark of the layout: a page break, an empty line, a line of dashes, the name and day of the agenda.
 */
export function isLayoutMark(title: string): boolean {
  return title.length <= 200 && (LAYOUT.test(title) || AGENDA_NAME.test(title.replace(/\s+/g, ' ')));
}

const ASSEMBLY =
  '(?:council|commission(?:ers)?|board|committee|court|authority|district|trustees|supervisors|aldermen|selectmen)';
const PEOPLE =
  '(?:individuals?|persons?|people|anyone|speakers?|citizens?|residents?|public|members? of the (?:public|audience)|those|visitors|parties)';
const SOME_PEOPLE = `(?:(?:any|all|the|interested|each) ){0,3}${PEOPLE}`;
const IS = '(?:is|are|was|were|has been|have been|will|shall|may|can|must|should)';

interface Notice {
  /** Expression for the beginning of the text. */
  readonly opening: string;
  /** Must occur anywhere in the text; absent if the opening is enough. */
  readonly then?: RegExp;
}

/** Matches one of the words anywhere in a text. */
const anywhere = (phrases: string): RegExp => new RegExp(String.raw`\b${anyPhrase(phrases)}\b`, 'i');
const NEED = anyWord(String.raw`assistance accommodat\w+ interpret\w+ auxiliary attend speak participate`);
const REQUEST = anyPhrase(String.raw`
  should, must, please, contact, call, notify, request\w*, hours, advance, prior to, meetings?
`);
const AS_ROUTINE = String.raw`\b(?:routine|one motion|out of order|any order|sequence)\b`;
const TOGETHER = anyWord('agenda consent separately individually together asterisk');

/** Notices on the meeting itself, its place, its order and its rules. */
const NOTICES: readonly Notice[] = [
  // "The council meeting will be held by videoconference."
  { opening: `(?:\\S+ ){0,7}meetings? (?:scheduled\\b|${IS}\\b)` },
  // "The commission may recess into executive session."
  {
    opening: `(?:\\S+ ){0,5}${ASSEMBLY} (?:reserves?|may|will)\\b`,
    then: anywhere(`
      (?:may|will) (?:also |then |now )?(?:take a )?(?:recess|(?:re)?convene|adjourn),
      (?:recess|(?:re)?convene|adjourn|go) (?:in|into|to), (?:executive|closed) (?:session|meeting), the right to,
      (?:out of|any|different|in the) order, any (?:item|matter),
      (?:take|hear|limit|accept|receive) public comments
    `),
  },
  // "A quorum of the board may be present."
  { opening: '(?:a )?(?:possible )?quorum\\b', then: /\b(?:may|might|could|will|present|attend)\b/i },
  // "Individuals who wish to speak must register."
  {
    opening: `${SOME_PEOPLE} (?:\\S+ ){0,3}(?:who|that|wishing|desiring|needing|requiring|interested|unable|${IS})\\b`,
    then: anywhere(`
      speak, address, attend, comment, register, sign up, view, watch, participate, limited to, podium,
      microphone, be heard, testify
    `),
  },
  // "Persons with disabilities who need an interpreter should call the clerk." Without the request, it might be a
  // program for them.
  {
    opening: `${SOME_PEOPLE} (?:\\S+ ){0,3}(?:who|that|with|needing|requiring|unable|${IS})\\b`,
    then: new RegExp(String.raw`^(?=.*\b${NEED}\b).*\b${REQUEST}\b`, 'i'),
  },
  // "Public hearings will not be heard before 1:00 p.m."
  {
    opening: `public (?:hearings?|comments?) (?:items? )?${IS}\\b`,
    then: anywhere(`
      heard, held, limited, taken, accepted, submitted, received, allowed, permitted, welcome, invited, open,
      made, minutes, before, after, agenda, meetings?
    `),
  },
  // "The above schedule represents an estimate."
  {
    opening: '(?:the )?(?:above|following|foregoing) (?:schedule|items?|agenda|matters?|notice|order)\\b',
    then: new RegExp(`\\b(?:represents|${IS})\\b`, 'i'),
  },
  // "All items under the consent agenda are considered routine."
  {
    opening: `(?:all )?(?:matters|items) (?:\\S+ ){0,8}${IS}\\b`,
    then: new RegExp(String.raw`${AS_ROUTINE}|^(?=.*\b${TOGETHER}\b).*\b(?:discussed|removed|voted)\b`, 'i'),
  },
  // "The agenda packet is available online."
  {
    opening: `(?:the |this |a |an |any )?(?:\\S+ ){0,2}(?:agenda|packet|order of business) (?:packet )?${IS}\\b`,
    then: /\b(?:available|posted|viewed|revised|obtained|online|change|subject)\b/i,
  },
  // "Agenda Item No. 15 must be heard before Agenda Item No. 19."
  {
    opening: `agenda items? (?:\\S+ ){1,8}${IS}\\b`,
    then: /\b(?:before|after|collectively|together|considered|heard)\b/i,
  },
  // "Copies of the materials are available from the clerk."
  {
    opening: '(?:copies|a copy|supporting|background|additional) (?:\\S+ ){1,8}',
    then: /\b(?:available|obtained|found|viewed|posted|inspection)\b/i,
  },
  // "To join the meeting by Zoom, …", "Please silence your phone."
  {
    opening:
      '(?:for|if you|to (?:view|watch|join|listen|attend|participate|request|register|sign up|speak|submit)|join|watch|view|listen|call|dial|please|contact(?! \\w+ing\\b)|submit|visit)\\b',
    then: anywhere(String.raw`
      meeting, agenda, comments?, speak, zoom, webex, youtube, live ?stream\w*, website, webcast, accommodat\w+,
      interpret\w+, clerk, secretary, phones?
    `),
  },
  { opening: '(?:meeting|webinar|zoom|webex) (?:id|number|link|password|access|code)\\b' },
  { opening: 'times? (?:\\S+ ){0,3}(?:are|is) (?:only )?(?:approximate|estimate)' },
  // "I, the undersigned, certify that this notice was posted."
  {
    opening:
      '(?:i|this(?! (?:street|road|park|program|project|plan|policy))|certificate|certification|posted (?:on|at|by|in|this)|notice)\\b',
    then: /\b(?:certify|posted|posting|hereby given|meeting)\b/i,
  },
  // "In accordance with the Americans with Disabilities Act, …", "Pursuant to section 30.06 of the penal code, …"
  {
    opening: '(?:in accordance|in compliance|pursuant|as authorized|under|as permitted|consistent)\\b',
    then: anywhere(String.raw`
      disabilit\w+, accommodat\w+, handguns?, firearms?, concealed, may (?:recess|convene|adjourn|meet),
      reserves? the right
    `),
  },
  { opening: '(?:handguns?|firearms?|weapons?)\\b', then: /\b(?:prohibit\w*|law|may not|not allowed|penal)\b/i },
  {
    opening:
      '(?:accessibility|handgun|ada|americans with disabilities|disability) (?:act )?(?:statement|notice|compliance|prohibition|accommodations?)\\b',
  },
  // Spanish: "Para solicitar un intérprete, …", "Esta reunión …"
  {
    opening:
      'conforme a|de acuerdo (?:con|a)|para (?:solicitar|servicios|asistir|ver|hablar|obtener)|las? personas? (?:que|con)|si (?:usted )?(?:necesita|desea)|esta (?:reunión|junta|sesión)',
  },
];
const PATTERNS = NOTICES.map(({ opening, then }) => ({ opening: new RegExp(`^(?:${opening})`, 'i'), then }));

const NOTE = String.raw`[*_\s]*(?:please )?notes?\s*[:–—-]`;
const SEEN = anyOf(
  'the ',
  'also ',
  'attach',
  'separate',
  String.raw`items?\b`,
  'agenda',
  'page',
  'below',
  'above',
  '.{0,30} (?:calendar|agenda)$',
);
/** "NOTE: …", "Jointly with the Committee on Aging", "See separate agenda". */
const REFERENCE = new RegExp(String.raw`^(?:${NOTE}|please note\b|jointly with\b|see ${SEEN})`, 'i');
const DEEDS = anyOf(
  'authori[sz]e',
  'approv',
  'adopt',
  'consider',
  'discuss',
  'receive',
  'accept',
  'resol',
  'an? (?:ordinance|resolution)',
  'ordinance',
  'conduct',
  'hold',
  'award',
  'amend',
  'appoint',
  'ratif',
  'review',
  'act(?:ion)? on',
  'hear',
  'deny',
  'grant',
  'establish',
  'possible action',
  'presentation',
  'report',
  'update',
  'briefing',
  'proclamation',
  'set (?:a|the) ',
);
/** An item of business begins with what is to be done or decided, or has one of these words. */
const DEED = new RegExp(`^${DEEDS}`, 'i');
const MATTERS = anyPhrase(String.raw`
  rezon\w+, ordinance (?:no|amending), special use permit, variance, replat, annex\w+, contract with,
  agreements?, grants?, task force, surplus, intent to sue
`);
const MATTER = new RegExp(String.raw`\b${MATTERS}\b|\$\d`, 'i');

/** True if a title begins with what is to be done, as that of a matter does. */
export const beginsWithDeed = (title: string): boolean => DEED.test(title.trimStart());

const isSentence = (text: string): boolean => text.split(' ', 6).length > 5;

/**
 * True for a text about the meeting or its agenda rather than about a matter: how to attend, notes on the order,
 * accessibility and handgun notices. Pass only rows without a number and a file.
 */
export function isMeetingNotice(title: string): boolean {
  const text = title.slice(0, MAX_NOTICE).replace(/\s+/g, ' ').trim();
  if (REFERENCE.test(text)) return true;
  if (beginsWithDeed(text) || MATTER.test(text) || !isSentence(text)) return false;
  return PATTERNS.some(({ opening, then }) => opening.test(text) && (then === undefined || then.test(text)));
}
