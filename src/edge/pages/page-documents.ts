import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { DocumentRoute } from '../documents/document-routes.ts';
import { PUBLIC_CACHE } from '../../../contract/operation.ts';
import { CADENCE_LIST_PATH, TOPIC_LIST_PATH } from '../../../contract/listings.ts';
import { WORKFLOWS_PATH } from '../../../contract/workflows.ts';
import { programFile } from '../../../plumbing/program-files.ts';
import { imagePath, STYLE_PATH } from './addresses.ts';
import { GUIDES_FOLDER } from './guide-files.ts';

const LASTING = { 'cache-control': 'public, s-maxage=3600', 'x-content-type-options': 'nosniff' } as const;

/** Returns the answer of `/` to programs. */
export const serviceIndex = (baseUrl: string): string =>
  JSON.stringify({
    service: 'Civic Records',
    openApi: `${baseUrl}/api/openapi.json`,
    workflows: baseUrl + WORKFLOWS_PATH,
    reference: `${baseUrl}/api-reference.md`,
    agents: `${baseUrl}/llms.txt`,
    tools: `${baseUrl}/api/v1/mcp`,
    topics: baseUrl + TOPIC_LIST_PATH,
    cadences: baseUrl + CADENCE_LIST_PATH,
    pages: `${baseUrl}/`,
  });

export const indexHeaders = {
  ...LASTING,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': PUBLIC_CACHE,
  vary: 'Accept',
} as const;

/** Robots skip search results, which differ for each query. Programs use the API. */
const ROBOTS = 'User-agent: *\nDisallow: /api/\nDisallow: /search\n';

/** Screenshots that guides show. */
const IMAGES_FOLDER = new URL('images/', GUIDES_FOLDER);

export const pageDocuments = (): readonly DocumentRoute[] => [
  {
    path: STYLE_PATH,
    operationId: null,
    headers: { ...LASTING, 'content-type': 'text/css; charset=utf-8' },
    body: () => readFile(programFile('src/edge/pages/style.css')),
  },
  {
    path: '/robots.txt',
    operationId: null,
    headers: { ...LASTING, 'content-type': 'text/plain; charset=utf-8' },
    body: async () => ROBOTS,
  },
  ...readdirSync(IMAGES_FOLDER).map((file) => ({
    path: imagePath(`images/${file}`),
    operationId: null,
    headers: { ...LASTING, 'content-type': 'image/png' },
    body: () => readFile(new URL(file, IMAGES_FOLDER)),
  })),
];
