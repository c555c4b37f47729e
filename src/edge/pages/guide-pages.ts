import { readdir, readFile } from 'node:fs/promises';
import { raw } from 'hono/html';
import { Marked } from 'marked';
import { type RejectionCode, REJECTIONS } from '../../../domain/rejections.ts';
import { STATUSES } from '../../../contract/error-codes.ts';
import type { ClosedOperation, Operation } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { TOOL_ERRORS } from '../../../contract/tools/tool-errors.ts';
import { errorPath, GUIDES_PATH } from './addresses.ts';
import { type Html, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { Asked } from './page-routes.ts';

const FOLDER = new URL('../../../docs/', import.meta.url);
const NAME = /^[a-z0-9-]{1,80}$/;

/** The part of an address that leads to a heading, as GitHub writes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A link between files as one between pages; null for a file that is not served. */
function addressOf(href: string, folder: URL): string | null {
  if (/^[a-z]+:/.test(href)) return href;
  if (href.startsWith('#')) return href;
  const file = new URL(href, folder);
  const [, name] = file.href.startsWith(FOLDER.href) ? (/^([a-z0-9/-]+)\.md$/.exec(file.pathname.slice(FOLDER.pathname.length)) ?? []) : [];
  return name === undefined ? null : `${GUIDES_PATH}/${name}${file.hash}`;
}

/** The markup of a guide. Guides are files of the program: their markup is trusted. */
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
      // Wide tables scroll by keyboard too.
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.toString(),
    },
  });
  return raw(marked.parse(markdown, { async: false }));
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'Guide';

async function guide(name: string, folder: URL): Promise<PageParts> {
  const markdown = NAME.test(name) ? await readFile(new URL(`${name}.md`, folder), 'utf8').catch(absent) : null;
  if (markdown === null) throw new Rejection('not_found', 'there is no such guide');
  return { title: titleOf(markdown), main: rendered(markdown, folder), parents: [[GUIDES_PATH, 'Guides']] };
}

function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

export const guidePage = (_reads: PageReads, { params }: Asked<'guide'>): Promise<PageParts> => guide(params['name']!, FOLDER);
export const decisionPage = (_reads: PageReads, { params }: Asked<'decision'>): Promise<PageParts> =>
  guide(params['name']!, new URL('decisions/', FOLDER));

export async function guidesPage(): Promise<PageParts> {
  const names = (await readdir(FOLDER)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length));
  const guides = await Promise.all(
    names.toSorted().map(async (name) => [name, titleOf(await readFile(new URL(`${name}.md`, FOLDER), 'utf8'))] as const),
  );
  const main = html`<h1>Guides</h1>
<ul>${guides.map(([name, title]) => html`<li><a href="${GUIDES_PATH}/${name}">${title}</a></li>`)}</ul>
<p>For programs: <a href="/reference">API reference</a>, the same <a href="/api-reference.md">as text</a>, <a href="/llms.txt">index for agents</a>.</p>
<h2>Error codes</h2>
<ul>${Object.keys(MEANINGS)
    .toSorted()
    .map((code) => html`<li><a href="${errorPath(code)}"><code>${code}</code></a></li>`)}</ul>`;
  return { title: 'Guides', main };
}

const MEANINGS: Readonly<Record<string, string>> = { ...TOOL_ERRORS, ...REJECTIONS };

export async function errorCodePage(_reads: PageReads, { params }: Asked<'errorCode'>): Promise<PageParts> {
  const code = params['code']!;
  if (!Object.hasOwn(MEANINGS, code)) throw new Rejection('not_found', 'there is no such error code');
  const operations = Object.values<Operation | ClosedOperation>(OPERATIONS).filter(({ refusals }) =>
    refusals.includes(code as RejectionCode),
  );
  const main = html`<h1><code>${code}</code></h1>
<p>In answers of the interface: ${Object.hasOwn(REJECTIONS, code) ? html`${REJECTIONS[code as RejectionCode]} (status ${STATUSES[code as RejectionCode]}).` : 'not used.'}</p>
<p>In results of tools: ${Object.hasOwn(TOOL_ERRORS, code) ? `${TOOL_ERRORS[code as keyof typeof TOOL_ERRORS]}.` : 'not used.'}</p>
${
  operations.length > 0 &&
  html`<h2>Operations that answer with it</h2>
<ul>${operations.map(({ operationId }) => html`<li><a href="/api-reference/${operationId}.md">${operationId}</a></li>`)}</ul>`
}
<p>Requests and retries: <a href="${GUIDES_PATH}/interface">the rules of the interface</a>.</p>`;
  return { title: code, main, parents: [[GUIDES_PATH, 'Guides']] };
}
