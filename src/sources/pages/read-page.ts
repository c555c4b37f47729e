import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { runInTurns } from '../../../domain/text/steps.ts';
import { type Found, type Matcher, parsePageInSteps } from './parse-page.ts';

export interface Page<Name extends string> {
  /** Address after redirects. */
  readonly address: string;
  readonly text: string;
  readonly found: Found<Name>;
}

/** Reads a page and finds the elements of each matcher. Yields to the event loop while it parses. */
export async function readPage<Name extends string>(
  web: WebReader,
  address: string,
  matchers: Readonly<Record<Name, Matcher>>,
  form?: Readonly<Record<string, string>>,
): Promise<Page<Name>> {
  const page = await web.page(address, form);
  return { address: page.address, text: page.text, found: await runInTurns(parsePageInSteps(page.text, matchers)) };
}

/** The address of a link on a page; null for another scheme than http. */
export function linkOn(address: string, link: string | null): string | null {
  const url = link === null ? null : URL.parse(link, address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}
