import { raw } from 'hono/html';
import { Marked, type Token, type Tokens } from 'marked';
import { type RejectionCode, REJECTIONS } from '../../../domain/rejections.ts';
import { STATUSES } from '../../../contract/error-codes.ts';
import type { ClosedOperation, Operation } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { REMEDIES } from '../../../contract/remedies.ts';
import { TOOL_ERRORS } from '../../../contract/tools/tool-errors.ts';
import { operationPage } from '../documents/markdown/reference.ts';
import { type OpenApiDocument, buildOpenApiDocument } from '../documents/openapi.ts';
import { anchorOf, errorPath, GUIDES_PATH, imagePath, operationGuidePath } from './addresses.ts';
import { type Guide, guides, GUIDES_FOLDER, readMarkdown, toGuide } from './guide-files.ts';
import { guideHits } from './guide-search.ts';
import { type Html, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { PageRequest } from './page-routes.ts';

const NAME = /^[a-z0-9-]{1,80}$/;

const AUDIENCES = '(?:readers|developers|operators|contributors)';
/** "operators/rebuild.md", "decisions/search.md". */
const SERVED_FILE = new RegExp(String.raw`^(?:${AUDIENCES}/)?((?:decisions/)?[a-z0-9-]+)\.md$`);

/** Converts a link between files to a link between pages; null if the file is not served. */
function addressOf(href: string, folder: URL): string | null {
  if (/^[a-z]+:/.test(href)) return href;
  if (/^[#/]/.test(href)) return href;
  const file = new URL(href, folder);
  if (!file.href.startsWith(GUIDES_FOLDER.href)) return null;
  const [, name] = SERVED_FILE.exec(file.pathname.slice(GUIDES_FOLDER.pathname.length)) ?? [];
  return name === undefined ? null : `${GUIDES_PATH}/${name}${file.hash}`;
}

/** Renders a guide. Guides are files of the program, so their markup is trusted. */
function rendered(markdown: string, folder: URL): Html {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const address = addressOf(href, folder);
        const text = this.parser.parseInline(tokens);
        return address === null ? text : html`<a href="${address}">${raw(text)}</a>`.toString();
      },
      image: ({ href, text }) =>
        html`<img src="${imagePath(href.replace('../', ''))}" alt="${text}" loading="lazy">`.toString(),
      // The keyboard can scroll wide samples and tables too.
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.toString(),
    },
  });
  return raw(marked.parser(inTabs(marked.lexer(markdown), marked)).replaceAll('<table>', '<table tabindex="0">'));
}

/** Languages of equivalent samples, with the names of their tabs. */
const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', python: 'Python', js: 'JavaScript' };
const languageOf = (token: Token | undefined): string | undefined =>
  token?.type === 'code' ? LANGUAGES[(token as Tokens.Code).lang?.split(' ', 1)[0] ?? ''] : undefined;

/** Renders consecutive samples in several languages as tabs, which work without a script. */
function inTabs(tokens: readonly Token[], marked: Marked): Token[] {
  const result: Token[] = [];
  const samples: Token[] = [];
  const endOfGroup = (): void => {
    if (samples.length > 1)
      result.push({ type: 'html', block: true, pre: false, raw: '', text: tabs(samples, result.length, marked) });
    else result.push(...samples);
    samples.length = 0;
  };
  for (const token of tokens) {
    const isOther =
      languageOf(token) !== undefined && samples.every((sample) => languageOf(sample) !== languageOf(token));
    if (isOther) samples.push(token);
    else if (token.type !== 'space' || samples.length === 0) {
      endOfGroup();
      if (languageOf(token) === undefined) result.push(token);
      else samples.push(token);
    }
  }
  endOfGroup();
  return result;
}

function tabs(samples: readonly Token[], number: number, marked: Marked): string {
  const choices = samples.map((sample, index) => {
    const id = `sample-${number}-${index}`;
    return html`<input type="radio" name="sample-${number}" id="${id}"${index === 0 && raw(' checked')}><label for="${id}">${languageOf(sample)}</label>`;
  });
  return html`<fieldset class="tabs"><legend>Language of the sample</legend>${choices}${raw(marked.parser([...samples]))}</fieldset>`.toString();
}

function guideParts(guide: Guide | null | undefined): PageParts {
  if (guide == null) throw new Rejection('not_found', 'there is no such guide');
  return { title: guide.title, main: rendered(guide.markdown, guide.folder), parents: [[GUIDES_PATH, 'Guides']] };
}

export async function guidePage(_reads: PageReads, { params }: PageRequest<'guide'>): Promise<PageParts> {
  return guideParts((await guides()).find(({ name }) => name === params['name']));
}

const DECISIONS_FOLDER = new URL('decisions/', GUIDES_FOLDER);

export async function decisionPage(_reads: PageReads, { params }: PageRequest<'decision'>): Promise<PageParts> {
  const name = params['name']!;
  const markdown = NAME.test(name) ? await readMarkdown(name, DECISIONS_FOLDER) : null;
  return guideParts(markdown === null ? null : toGuide(name, markdown, DECISIONS_FOLDER));
}

export async function guidesPage(_reads: PageReads, { query: { q } }: PageRequest<'guides'>): Promise<PageParts> {
  const files = await guides();
  const main = html`<h1>Guides</h1>
<search><form action="${GUIDES_PATH}"><label for="q">Search the guides</label>
<div class="field"><input id="q" name="q" type="search" maxlength="200" value="${q ?? ''}"><button>Search</button></div></form></search>
${q !== undefined && html`<section aria-labelledby="found"><h2 id="found">Sections found</h2>${guideHits(files, q.slice(0, 200))}</section>`}
${guideLists(files)}
<p>For programs: <a href="/reference">API reference</a>, the same <a href="/api-reference.md">as text</a>, <a href="/llms.txt">index for agents</a>.</p>
<h2>Operations</h2>
<ul>${Object.values<Operation | ClosedOperation>(OPERATIONS).map(
    ({ operationId, summary }) =>
      html`<li><a href="${operationGuidePath(operationId)}">${operationId}</a>: ${summary}</li>`,
  )}</ul>
<h2>Error codes</h2>
<ul>${Object.keys(MEANINGS)
    .toSorted()
    .map((code) => html`<li><a href="${errorPath(code)}"><code>${code}</code></a></li>`)}</ul>`;
  return { title: 'Guides', main };
}

const guideLists = (files: readonly Guide[]): readonly Html[] =>
  [...Map.groupBy(files, ({ audience }) => audience)].map(
    ([audience, group]) => html`<h2>${audience}</h2>
<ul>${group.map(({ name, title }) => html`<li><a href="${GUIDES_PATH}/${name}">${title}</a></li>`)}</ul>`,
  );

let document: { readonly of: string; readonly text: OpenApiDocument } | undefined;

export async function operationGuidePage(
  _reads: PageReads,
  { params }: PageRequest<'operation'>,
  baseUrl: string,
): Promise<PageParts> {
  const id = params['operationId']!;
  if (!Object.hasOwn(OPERATIONS, id)) throw new Rejection('not_found', 'there is no such operation');
  if (document?.of !== baseUrl) document = { of: baseUrl, text: buildOpenApiDocument(baseUrl) };
  return {
    title: id,
    main: rendered(operationPage(document.text, id), GUIDES_FOLDER),
    parents: [[GUIDES_PATH, 'Guides']],
  };
}

const MEANINGS: Readonly<Record<string, string>> = { ...TOOL_ERRORS, ...REJECTIONS };

export async function errorCodePage(_reads: PageReads, { params }: PageRequest<'errorCode'>): Promise<PageParts> {
  const code = params['code']!;
  if (!Object.hasOwn(MEANINGS, code)) throw new Rejection('not_found', 'there is no such error code');
  const operations = Object.values<Operation | ClosedOperation>(OPERATIONS).filter(({ refusals }) =>
    refusals.includes(code as RejectionCode),
  );
  const main = html`<h1><code>${code}</code></h1>
<p>In answers of the interface: ${Object.hasOwn(REJECTIONS, code) ? html`${REJECTIONS[code as RejectionCode]} (status ${STATUSES[code as RejectionCode]}).` : 'not used.'}</p>
${Object.hasOwn(REMEDIES, code) && rendered(`What to do: ${REMEDIES[code as RejectionCode]}`, GUIDES_FOLDER)}
<p>In results of tools: ${Object.hasOwn(TOOL_ERRORS, code) ? `${TOOL_ERRORS[code as keyof typeof TOOL_ERRORS]}.` : 'not used.'}</p>
${
  operations.length > 0 &&
  html`<h2>Operations that answer with it</h2>
<ul>${operations.map(({ operationId }) => html`<li><a href="${operationGuidePath(operationId)}">${operationId}</a></li>`)}</ul>`
}
<p>Requests and retries: <a href="${GUIDES_PATH}/interface">the rules of the interface</a>.</p>`;
  return { title: code, main, parents: [[GUIDES_PATH, 'Guides']] };
}
