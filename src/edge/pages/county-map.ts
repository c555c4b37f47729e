import type { CoverageJurisdiction } from '../../../domain/coverage.ts';
import outlines from './county-shapes.json' with { type: 'json' };
import { jurisdictionPath } from './addresses.ts';
import { type Html, html } from './html.ts';

interface County {
  readonly county: CoverageJurisdiction;
  readonly municipalities: readonly CoverageJurisdiction[];
}

/** Returns the counties by name, each with the municipalities that extend into it. */
export function countiesOf(jurisdictions: readonly CoverageJurisdiction[]): readonly County[] {
  const [counties, cities] = [
    jurisdictions.filter(({ level }) => level === 'county'),
    jurisdictions.filter(({ level }) => level === 'city'),
  ];
  return counties.map((county) => ({
    county,
    municipalities: cities.filter(({ countySlugs }) => countySlugs.includes(county.countySlugs[0]!)),
  }));
}

/** Slugs of jurisdictions with a covered body whose source has been read at least once. */
type ReadSlugs = ReadonlySet<string>;

const hasRead = ({ county, municipalities }: County, read: ReadSlugs): boolean =>
  [county, ...municipalities].some(({ jurisdictionSlug }) => read.has(jurisdictionSlug));

const shapes: Readonly<Record<string, string>> = outlines.shapes;

/** Renders the map of the counties. The list has the same content, so it is one image for a screen reader. */
export const countyMap = (counties: readonly County[], read: ReadSlugs): Html => html`<figure class="map">
<svg viewBox="-2 -2 ${outlines.width + 4} ${outlines.height + 4}" role="img" aria-labelledby="map-title">
<title id="map-title">Map of the 16 counties of north-central Texas; the list below says where a covered body was read</title>
${counties.map(
  (each) =>
    html`<path class="${hasRead(each, read) ? 'read' : 'unread'}" d="${shapes[each.county.countySlugs[0]!]}"/>\n`,
)}</svg>
<figcaption><span class="key read">a covered body in this county was read</span> <span class="key unread">no covered body was read yet</span></figcaption>
</figure>`;

const jurisdictionEntry = ({ jurisdictionSlug, jurisdictionName }: CoverageJurisdiction, read: ReadSlugs): Html =>
  html`<li><a href="${jurisdictionPath(jurisdictionSlug)}">${jurisdictionName}</a>${
    read.has(jurisdictionSlug) && html` <strong>covered and read</strong>`
  }</li>`;

export const countyList = (counties: readonly County[], read: ReadSlugs): Html =>
  html`<div class="counties">${counties.map(
    ({ county, municipalities }) => html`<details>
<summary>${county.jurisdictionName} <span class="quiet">${numbered(municipalities.length)}, covered and read: ${readIn({ county, municipalities }, read)}</span></summary>
<ul>${[county, ...municipalities].map((each) => jurisdictionEntry(each, read))}</ul>
</details>`,
  )}</div>`;

const numbered = (count: number): string => `${count} ${count === 1 ? 'municipality' : 'municipalities'}`;

/** Describes which places of a county have been read. The county itself is not one of its municipalities. */
function readIn({ county, municipalities }: County, read: ReadSlugs): string {
  const count = municipalities.filter(({ jurisdictionSlug }) => read.has(jurisdictionSlug)).length;
  const places = [
    ...(read.has(county.jurisdictionSlug) ? ['the county'] : []),
    ...(count > 0 ? [numbered(count)] : []),
  ];
  return places.length === 0 ? 'none' : places.join(' and ');
}
