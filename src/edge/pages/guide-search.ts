import type { Guide } from './guide-files.ts';
import { anchorOf, GUIDES_PATH } from './addresses.ts';
import { excerptAround } from './marked-text.ts';
import { type Html, html } from './html.ts';

/** Maximum sections that a search of the guides shows. */
const SHOWN = 20;
const MAX_WORDS = 8;

interface Section {
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** Returns the text under each heading of a guide, without markup. */
function sectionsOf({ name, title, markdown }: Guide): readonly Section[] {
  return markdown.split(/^(?=#{1,4} )/m).map((part) => {
    const [, heading = title, text = ''] = /^#+ (.*)\n([\s\S]*)$/.exec(part) ?? [];
    const plain = text.replaceAll(/^```.*$|[`*|#]|\[([^[\]]*)\]\([^)]*\)/gm, '$1').replaceAll(/\s+/g, ' ');
    return { address: `${GUIDES_PATH}/${name}#${anchorOf(heading)}`, title, heading, text: plain };
  });
}

/** Sections of the guides. The files of the program do not change while it runs. */
let sections: { readonly of: readonly Guide[]; readonly all: readonly Section[] } | undefined;

/** Renders the sections with every word, those with a word in the heading first. */
export function guideHits(guides: readonly Guide[], query: string): Html {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  const has = (text: string, word: string): boolean => text.toLowerCase().includes(word);
  const inHeading = ({ heading, title }: Section): number =>
    words.filter((word) => has(`${title} ${heading}`, word)).length;
  if (sections?.of !== guides) sections = { of: guides, all: guides.flatMap(sectionsOf) };
  const hits = sections.all
    .filter(({ heading, title, text }) => words.every((word) => has(`${title} ${heading} ${text}`, word)))
    .toSorted((left, right) => inHeading(right) - inHeading(left));
  if (hits.length === 0) return html`<p>No guide has all of these words.</p>`;
  return html`<ul class="entries">${hits
    .slice(0, SHOWN)
    .map(
      ({ address, title, heading, text }) =>
        html`<li><a href="${address}">${title === heading ? title : `${title}: ${heading}`}</a><p>${excerptAround(text, words)}</p></li>`,
    )}</ul>${hits.length > SHOWN && html`<p class="quiet">${hits.length - SHOWN} more sections have these words.</p>`}`;
}
