import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { feature } from 'topojson-client';

/** Writes the outlines of the counties for the map of the front page, from the boundaries of the Census Bureau in `us-atlas`. */

type Atlas = Parameters<typeof feature>[0];
type Point = readonly number[];
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const root = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const WIDTH = 600;
const atlas = readJson(createRequire(import.meta.url).resolve('us-atlas/counties-10m.json')) as Atlas;
const counties = readJson(root('src/sources/catalogue/data/counties.json')) as readonly {
  readonly slug: string;
  readonly geoid: string;
}[];

function ringsOf(geoid: string): readonly (readonly Point[])[] {
  const all = feature(atlas, atlas.objects['counties']!);
  const found = 'features' in all ? all.features.find(({ id }) => id === geoid)?.geometry : undefined;
  if (found?.type === 'Polygon') return found.coordinates;
  if (found?.type === 'MultiPolygon') return found.coordinates.flat();
  throw new Error(`us-atlas has no outline of ${geoid}`);
}

const outlines = counties.map(({ slug, geoid }) => ({ slug, rings: ringsOf(geoid) }));
const points = outlines.flatMap(({ rings }) => rings.flat());
const [longitudes, latitudes] = [points.map(([longitude]) => longitude!), points.map(([, latitude]) => latitude!)];
const [west, east, south, north] = [
  Math.min(...longitudes),
  Math.max(...longitudes),
  Math.min(...latitudes),
  Math.max(...latitudes),
];
// A degree of longitude is shorter by the cosine of the latitude; over so small an area that is all of a projection.
const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
const scale = WIDTH / ((east - west) * narrowing);
const formatPoint = ([longitude, latitude]: Point): string =>
  `${((longitude! - west) * narrowing * scale).toFixed(1)} ${((north - latitude!) * scale).toFixed(1)}`;

const shapes = Object.fromEntries(
  outlines.map(({ slug, rings }) => [
    slug,
    rings.map((ring) => `M${ring.slice(0, -1).map(formatPoint).join('L')}Z`).join(''),
  ]),
);
const height = Math.ceil((north - south) * scale);
writeFileSync(
  root('src/edge/pages/county-shapes.json'),
  `${JSON.stringify({ width: WIDTH, height, shapes }, null, 1)}\n`,
);
