import type { Clock } from '../../../domain/ports/clock.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { anyPhrase, pattern } from '../../../domain/text/patterns.ts';
import { bodyNameIn, derivedNumber, type ListedEvent, listedReader, meetingNameIn } from '../listed/listed-reader.ts';
import { bodyInTitle } from '../pages/body-words.ts';
import { withoutDays } from '../pages/title-days.ts';
import { firstRecentDay } from '../pages/recent-years.ts';
import { SyncRefused } from '../source.ts';
import { readVideo } from './video-page.ts';
import { readView, type Video } from './view-list.ts';

export interface SwagitSite {
  readonly web: WebReader;
  /** Address of the tenant, without a slash at its end. */
  readonly site: string;
  /** Ids of views, separated by commas; undefined for the default one. */
  readonly view: string | undefined;
  readonly since: string | undefined;
  readonly clock: Clock;
}

/** Words of a meeting: lists have news, ceremonies and films too. */
const MEETING = pattern(
  'i',
  String.raw`\b`,
  anyPhrase(`
    meetings?, sessions?, hearings?, workshops?, council, court, commission(?:ers)?, board, committee, trustees,
    authority, corporation, p ?& ?z, agency, panel, task force, cabinet, directors
  `),
  String.raw`\b`,
);

/** Reads recordings of meetings. They are published after the meeting, and state no time of it. */
export function swagitReader({ web, site, view, since, clock }: SwagitSite): AgendaReader {
  const views = requireViews(view);
  const firstDay = (days: readonly string[]) => since ?? firstRecentDay(days, clock.now());
  let listedFrom: string | null = null;
  return listedReader({
    platform: { sourceType: 'other', label: 'Swagit', isSecondary: true, readsAgendaFiles: true },
    listedFrom: () => listedFrom,
    list: async () => {
      const videos = new Map<number, Video>();
      const unread: string[] = [];
      for (const id of views) {
        const view = await readView(web, `${site}/views/${id}`, firstDay);
        for (const video of view.videos) if (!videos.has(video.id)) videos.set(video.id, video);
        unread.push(...view.unread);
      }
      const all = [...videos.values()];
      const from = firstDay(all.map(({ day }) => day));
      listedFrom = from;
      const recent = all.filter(({ day }) => from === null || day === '' || day >= from);
      const events = recent.map((video) => eventOf(video, site));
      return [...events, ...unread.map((reason) => ({ EventId: undefined, EventUnread: reason }))];
    },
    ...videoPages(web, site),
  });
}

/** Items and details of an event are on one page, which is requested once for both. */
function videoPages(web: WebReader, site: string): Required<Pick<AgendaReader, 'eventItems' | 'details'>> {
  const pages = new Map<number, ReturnType<typeof readVideo>>();
  const request = (eventId: number) => readVideo(web, `${site}/videos/${eventId}`);
  return {
    eventItems: async (eventId) => {
      const page = request(eventId);
      pages.set(eventId, page);
      return (await page).items;
    },
    details: async (eventId) => {
      const page = pages.get(eventId) ?? request(eventId);
      pages.delete(eventId);
      return (await page).details;
    },
  };
}

function requireViews(view: string | undefined): readonly string[] {
  const ids = (view ?? 'default').split(',').map((id) => id.trim());
  if (ids.every((id) => /^(?:default|\d{1,9}(?:\/[\w-]{1,100})?)$/i.test(id))) return [...new Set(ids)];
  throw new SyncRefused(`view "${view}" is none: give ids such as 128, separated by commas`);
}

function eventOf({ id, day, title, list }: Video, site: string): ListedEvent {
  const name = bodyInTitle(list ?? '') ?? bodyInTitle(withoutDays(bodyNameIn(title))) ?? bodyNameIn(title);
  const address = `${site}/videos/${id}`;
  return {
    EventId: id,
    EventBodyId: derivedNumber(name.toLowerCase()),
    EventBodyName: name,
    EventTitle: meetingNameIn(title),
    EventDate: day,
    // The title can contain a notice that the meeting is canceled.
    EventName: title,
    EventInSiteURL: address,
    // A published recording proves that the meeting took place.
    EventVideoStatus: 'Public',
    EventVideoPath: address,
    ...(MEETING.test(`${title.slice(0, 300)} ${list ?? ''}`) ? {} : { EventHidden: 'its title names no meeting' }),
  };
}
