import { readFileSync } from 'node:fs';

export interface PageFile {
  readonly type: string;
  readonly body: string;
}

const read = (name: string): string => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');

/** The page at `/ops` and all that it loads; it is of one origin and runs nothing but its own script. */
export const PAGE_FILES: Readonly<Record<string, PageFile>> = {
  '/ops': { type: 'text/html; charset=utf-8', body: read('page.html') },
  '/ops/page.css': { type: 'text/css; charset=utf-8', body: read('page.css') },
  '/ops/page.js': { type: 'text/javascript; charset=utf-8', body: read('page.js') },
  '/ops/icon.svg': { type: 'image/svg+xml; charset=utf-8', body: read('icon.svg') },
};

/** What shows names and reasons that others have written may load nothing from elsewhere and run nothing that was not served here. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
