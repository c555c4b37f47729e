/** A longer text is not a time. */
const MAX_TIME = 100;
/** Builds a part of a regular expression from words that are separated by white space. */
const oneOf = (table: string): string => String.raw`\b(?:${table.trim().split(/\s+/).join('|')})\b`;

const ANNOUNCEMENT = oneOf(
  'at time starts? starting begins? beginning new revised updated corrected amended change changed moved note please meeting the now cancell?ed',
);
/** Words that announce a time: "Starts at 6:00 PM", "NEW TIME: 1:00 PM", "*1:00 PM". */
const BEFORE_TIME = new RegExp(
  String.raw`^[\s*(@]*(?:(?:${ANNOUNCEMENT}|(?<=(?:changed|moved) )to\b)[\s*():@–-]*)*`,
  'i',
);
const HOUR_AND_MINUTE = String.raw`(?<hour>\d{1,2})(?:\s?[:.]\s?(?<minute>\d{2}))?(?<seconds>:[0-5]\d)?`;
const HALF = String.raw`\s?(?<half>[ap])\.?\s?m\b\.?|\s?(?<noon>noon)\b`;
/** "9:00 AM", "6.30pm", "12 noon", "18:30", "13:00:00". */
const CLOCK_TIME = new RegExp(String.raw`^(?:${HOUR_AND_MINUTE}(?:${HALF}|(?!\w|[.:]\d))|noon\b)`, 'i');

const ABBREVIATED_ZONE = 'UTC|GMT|[ECMPAH][SD]T|AK[SD]?T|[ECMPH]T';
const ZONE_NAME = '(?:Eastern|Central|Mountain|Pacific|Atlantic|Alaska|Hawaii(?:-Aleutian)?)';
/** "Daylight Savings Time", or the end of the phrase. */
const ZONE_END = String.raw`(?:(?: Standard| Daylight)?(?: Savings?)? Time|(?=\s*(?:[),;–—-]|$)))`;
const NAMED_ZONE = `${ZONE_NAME}${ZONE_END}`;
/** The zone after a time: " CST", " (ET)", " Central Daylight Time", ", Eastern". */
const ZONE = new RegExp(String.raw`^[\s,(]*(${ABBREVIATED_ZONE}|${NAMED_ZONE})\b\.?\)?`, 'i');
const TO = /^\s*(?:[-–—]|(?:to|until|till)\s)\s*/i;

const TIME = String.raw`\d\s?[ap]\.?\s?m\b|\d:\d{2}|\b(?:noon|midnight|midday)\b`;
/** "/ 7", "and 7", "to 7". */
const HOUR = String.raw`(?:[/&,;]|\b(?:and|to|at|from|now|by))\s*\d{1,2}(?!\w)`;
const DAY = String.raw`\d\/\d|\b(?:sun|mon|tues|wednes|thurs|fri|satur)day\b|\btomorrow\b`;
/** Another time or day, which leaves open when the meeting starts. */
const OTHER_TIME = new RegExp(`${TIME}|${HOUR}|${DAY}`, 'i');
const DOUBT = oneOf(`
  or if unless once when\\w* which\\w* after following follows immediately upon adjourn\\w* conclu\\w+ complet\\w+ before prior soon
  approx\\w* about around circa estimated? est ish tentative\\w* tb[adc] t\\.b\\.[ad] to\\sbe pending subject unconfirmed not\\s(?:yet\\s)?confirmed
  may might possibl[ey] probabl[ey] likely earli\\w+ late\\w* was were previous\\w* former\\w* original\\w* old instead
  moved delayed postponed deferred`);
/** "or later", "(tentative)", "immediately following the workshop", "(subject to change)". */
const UNCERTAIN = new RegExp(`[?~±+]|${DOUBT}`, 'i');

interface ClockTime {
  /** Minutes after midnight; null if AM or PM is not certain. */
  readonly minutes: number | null;
  readonly hour: number;
  readonly minute: number;
  readonly half: string | undefined;
  readonly zone: string | undefined;
  readonly rest: string;
}

function twelveHourMinutes(hour: number, minute: number, half: string): number | null {
  if (hour < 1 || hour > 12 || minute > 59) return null;
  return ((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)) * 60 + minute;
}

/** Returns the minutes after midnight of a time without AM or PM. Hours from 13 on are certain; with seconds, which only systems write, hours from 06 on. */
function twentyFourHourMinutes(hour: string, minute: string, hasSeconds: boolean): number | null {
  const firstCertainHour = hasSeconds && hour.length === 2 ? 6 : 13;
  return Number(hour) >= firstCertainHour && Number(hour) <= 23 && Number(minute) <= 59
    ? Number(hour) * 60 + Number(minute)
    : null;
}

function minutesOf({ hour, minute, seconds, half, noon }: Readonly<Record<string, string | undefined>>): number | null {
  if (hour === undefined) return 12 * 60;
  if (noon !== undefined) return Number(hour) === 12 && Number(minute ?? 0) === 0 ? 12 * 60 : null;
  if (half !== undefined) return twelveHourMinutes(Number(hour), Number(minute ?? 0), half);
  return minute === undefined ? null : twentyFourHourMinutes(hour, minute, seconds !== undefined);
}

function readClockTime(text: string): ClockTime | null {
  const match = CLOCK_TIME.exec(text);
  if (match === null) return null;
  const groups = match.groups ?? {};
  const behind = text.slice(match[0].length);
  const zone = ZONE.exec(behind);
  return {
    minutes: minutesOf(groups),
    hour: Number(groups['hour'] ?? 12),
    minute: Number(groups['minute'] ?? 0),
    half: groups['half'],
    zone: zone?.[1],
    rest: behind.slice(zone?.[0].length ?? 0),
  };
}

/** A start without AM or PM ("8:30-9:30 AM") gets that of the end if it is then before the end, else null. */
function startOfSpan(start: ClockTime, end: ClockTime): number | null {
  if (start.minutes !== null || end.half === undefined || end.minutes === null) return start.minutes;
  const derived = twelveHourMinutes(start.hour, start.minute, end.half);
  return derived !== null && derived < end.minutes ? derived : null;
}

/** Returns the time in a line, or the start of a span, in minutes after midnight, with the zones in it. Null if it is not certain. */
export function readTime(line: string) {
  if (line.length > MAX_TIME) return null;
  const start = readClockTime(line.replace(BEFORE_TIME, ''));
  if (start === null) return null;
  const separator = TO.exec(start.rest)?.[0];
  const end = separator === undefined ? null : readClockTime(start.rest.slice(separator.length));
  const minutes = end === null ? start.minutes : startOfSpan(start, end);
  const remark = (end ?? start).rest.replace(/\bnoon\b/i, (noon) => (minutes === 12 * 60 ? '' : noon));
  if (minutes === null || OTHER_TIME.test(remark) || UNCERTAIN.test(remark)) return null;
  return { minutes, zones: [start.zone, end?.zone].filter((zone) => zone !== undefined) };
}

export interface LocalDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** IANA name. */
  readonly timezone: string;
}

/** True if the time zone has this name in the year of the day, in winter or in summer: people write "CST" all year. */
export function isOwnZone(name: string, { day, timezone }: LocalDay): boolean {
  const zone = name.toLowerCase().replace(/ savings?/, '');
  return ['01-01', '07-01'].some((monthDay) =>
    (['short', 'shortGeneric', 'long', 'longGeneric'] as const).some((timeZoneName) => {
      const parts = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName }).formatToParts(
        new Date(`${day.slice(0, 4)}-${monthDay}`),
      );
      const own = parts.find(({ type }) => type === 'timeZoneName')!.value.toLowerCase();
      return own === zone || own === `${zone} time`;
    }),
  );
}
