import { type Html, html } from './html.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string, style: 'long' | 'short'): Intl.DateTimeFormat {
  const key = `${style} ${timeZone}`;
  let format = formats.get(key);
  if (format === undefined) {
    const parts = { year: 'numeric', month: style, day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...parts, ...(style === 'long' ? { weekday: 'long' } : {}) });
    if (formats.size < 200) formats.set(key, format);
  }
  return format;
}

/** A meeting's time where it is held, such as "Wednesday, March 4, 2026 at 1:00 PM CST". */
export const timeInWords = (instant: string, timeZone: string): string => formatOf(timeZone, 'long').format(new Date(instant));

export const timeElement = (instant: string, timeZone: string): Html =>
  html`<time datetime="${instant}">${timeInWords(instant, timeZone)}</time>`;

/** A time of the service, such as a check of a source. */
export const utcTime = (instant: string): Html =>
  html`<time datetime="${instant}">${formatOf('UTC', 'short').format(new Date(instant))}</time>`;
