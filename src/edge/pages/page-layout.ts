import { operationGuidePath, STYLE_PATH } from './addresses.ts';
import { nameOf, titleOf } from './fragments.ts';
import { type Content, type Html, html } from './html.ts';

export interface PageParts {
  readonly title: string;
  readonly main: Content;
  /** Parents of the page, beginning with the front page. */
  readonly parents?: readonly (readonly [path: string, name: string])[];
  /** The page as a feed or a calendar. */
  readonly alternates?: readonly { readonly type: string; readonly href: string; readonly title: string }[];
}

export const SERVICE_NAME = 'Civic Records';

/** Renders the whole page. `contact` is the address for corrections. */
export function pageLayout({ title, main, parents = [], alternates = [] }: PageParts, contact: string | null): string {
  const heading = title === SERVICE_NAME ? title : `${titleOf(title)} · ${SERVICE_NAME}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
${alternates.map((each) => html`<link rel="alternate" type="${each.type}" href="${each.href}" title="${titleOf(each.title)}">\n`)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="name"><a href="/">${SERVICE_NAME}</a></p>
<nav aria-label="Pages"><a href="/search">Search</a> <a href="/docs">Guides</a> <a href="/reference">API</a></nav>
</header>
<main id="main" tabindex="-1">
${parents.length > 0 && html`<nav aria-label="Where you are" class="parents">${parents.map(([path, name]) => html`<a href="${path}">${nameOf(name)}</a> › `)}</nav>`}
${main}
</main>
<footer>
${corrections(contact)}
<p>What is shown here was observed at a source. It may be incomplete or out of date: follow the link to the official record before you rely on it.
An empty list does not prove that nothing happened.</p>
</footer>
</body>
</html>
`;
  return page.toString();
}

const corrections = (contact: string | null): Html =>
  contact === null
    ? html`<p>Is a record missing? Customers <a href="${operationGuidePath('submitDataReport')}">report it</a>.</p>`
    : html`<p>Is something wrong or missing? <a href="${contact}">Tell us</a>.</p>`;
