import { Duration } from 'luxon';
import { z } from 'zod';

export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);
/** A century: what is counted on from now stays a time that can be written. */
const MAX_DURATION_MS = 36_525 * 86_400_000;
/** Milliseconds of an ISO 8601 duration; NaN, which no limit allows, for another text. */
const durationWhere = (isAllowed: (milliseconds: number) => boolean) =>
  z
    .string()
    .transform((text) => Duration.fromISO(text).toMillis())
    .refine(isAllowed);
export const duration = durationWhere((milliseconds) => milliseconds > 0 && milliseconds <= MAX_DURATION_MS);
/** A wait that may be none, and that no process manager would call hung. */
export const shortWait = durationWhere((milliseconds) => milliseconds >= 0 && milliseconds <= 300_000);
export const instant = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => Date.parse(text));
export const rate = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/)
  .transform((text) => {
    const [requests, seconds] = text.split('/').map(Number);
    return { requests: requests!, seconds: seconds! };
  });
export const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
export const MAX_SEARCHES = 16;
export const searches = count.refine((value) => value <= MAX_SEARCHES);
export const ceiling = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.tuple([rate, rate]))
  .transform(([sustained, burst]) => ({ sustained, burst }));
export const hostNames = z
  .string()
  .toLowerCase()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.hostname()));
/** What `proxy-addr` reads: addresses, ranges, and three names for ranges. */
const PROXY_RANGES = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])]);
export const proxies = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((range) => range.trim())))
  .pipe(z.array(PROXY_RANGES));
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** Smallest units of the asset; `none` disables sales. */
export const price = z
  .string()
  .regex(/^([1-9]\d{0,17}|none)$/)
  .transform((text) => (text === 'none' ? null : text));
export const dailyBudget = z
  .string()
  .regex(/^[1-9]\d{0,20}\/[1-9]\d{0,20}$/)
  .transform((text) => {
    const [perAccount, ofAll] = text.split('/').map(BigInt);
    return { perAccount: perAccount!, ofAll: ofAll! };
  });

/** Scheme, host and, where it is not the scheme's default, port, as a browser sends them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
export const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim().toLowerCase()))
  .refine((list) => list.every(isOrigin));

function decodes(text: string): boolean {
  try {
    decodeURIComponent(new URL(text).host + new URL(text).pathname);
    return true;
  } catch {
    return false;
  }
}
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//)
  .refine(decodes);
