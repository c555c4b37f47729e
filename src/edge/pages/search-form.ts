import { nameOf } from './fragments.ts';
import { fitting, type Html, html } from './html.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';

export type SearchQuery = PageRequest<'search'>['query'];
type Choices = Awaited<ReturnType<PageReads['searchChoices']>>['places'];

export const SEARCH_PATH = '/search';
/** Maximum bytes of the choices of one field. */
const CHOICES_SIZE = 10_000;

/** Renders the form, which works without a script. `fields` are below the box. */
const form = (
  q: string | undefined,
  fields: Html,
): Html => html`<form role="search" action="${SEARCH_PATH}" method="get">
<label for="q">Search agenda items</label>
<p class="field"><input id="q" name="q" type="search" required maxlength="200" value="${q ?? ''}"><button type="submit">Search</button></p>
${fields}
</form>`;

/** Renders the box with a link to the other fields. */
export const searchBox = (): Html =>
  form(undefined, html`<p class="quiet"><a href="${SEARCH_PATH}">Search by place, topic and dates</a></p>`);

/** Renders all fields with the values of the request. */
export const searchForm = (
  query: SearchQuery,
  { places, topics }: Awaited<ReturnType<PageReads['searchChoices']>>,
): Html =>
  form(
    query.q,
    html`<p class="fields">${choice('jurisdiction', ['Place', 'Any place'], places, query.jurisdiction)}
${choice('topic', ['Topic', 'Any topic'], topics, query.topic)}
${day('from', 'Meeting from', query.from)}
${day('to', 'Meeting to', query.to)}
${dollars('min', 'Amount from ($)', query.min)}
${dollars('max', 'Amount to ($)', query.max)}</p>`,
  );

/** Adds a chosen value that the choices lack. */
function choice(name: string, [label, any]: readonly [string, string], choices: Choices, chosen = ''): Html {
  const options = fitting(choices, CHOICES_SIZE, (each) => option(each, chosen));
  const isShown = chosen === '' || choices.slice(0, options.length).some(({ slug }) => slug === chosen);
  const other = choices.find(({ slug }) => slug === chosen) ?? { slug: chosen, name: chosen };
  return html`<span><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">${any}</option>${options}${!isShown && option(other, chosen)}</select></span>`;
}

const option = ({ slug, name }: Choices[number], chosen: string): Html =>
  html`<option value="${slug}"${slug === chosen && html` selected`}>${nameOf(name)}</option>`;

const dollars = (name: string, label: string, request?: number): Html =>
  html`<span><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" min="0" step="1" value="${request === undefined ? '' : String(request)}"></span>`;

const day = (name: string, label: string, request = ''): Html =>
  html`<span><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${request}"></span>`;
