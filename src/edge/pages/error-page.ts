import { clipped, html } from './html.ts';
import { pageLayout } from './page-layout.ts';

export interface ShownError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
}

const HEADINGS: Readonly<Record<number, string>> = {
  400: 'This address has something that is not allowed',
  404: 'There is nothing at this address',
  429: 'Too many requests; wait a moment',
};

/** Renders the page for a refusal or a failure. */
export function errorPage({ status, code, message, requestId }: ShownError, contact: string | null): string {
  const title = HEADINGS[status] ?? (status < 500 ? 'This request was refused' : 'This page cannot be shown now');
  const main = html`<h1>${title}</h1>
<p>${clipped(message, 500)}</p>
<p><a href="/">Front page</a>, <a href="/search">search</a></p>
<p class="quiet">Error ${status}, <code>${code}</code>. Request <code>${requestId}</code></p>`;
  return pageLayout({ title, main }, contact);
}
