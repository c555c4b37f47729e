/** Paths of the pages. They must not change, because other sites link to them. */
export const STYLE_PATH = '/pages/style.css';

export const GUIDES_PATH = '/docs';
export const operationGuidePath = (operationId: string): string => `${GUIDES_PATH}/api/${operationId}`;
/** `file` is relative to the guides, such as `images/ops.png`. */
export const imagePath = (file: string): string => `${GUIDES_PATH}/${file}`;
export const errorPath = (code: string): string => `${GUIDES_PATH}/errors/${code}`;

/** Returns the fragment of a heading's address, in GitHub's form. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

export const topicPath = (topicSlug: string): string => `/topics/${encodeURIComponent(topicSlug)}`;
export const jurisdictionPath = (slug: string): string => `/jurisdictions/${encodeURIComponent(slug)}`;
export const bodyPath = (slug: string, bodySlug: string): string =>
  `${jurisdictionPath(slug)}/bodies/${encodeURIComponent(bodySlug)}`;
export const meetingPath = (meetingId: string): string => `/meetings/${meetingId}`;
export const itemPath = (itemId: string): string => `/items/${itemId}`;
export const feedOf = (path: string): string => `${path}/atom.xml`;
export const calendarOf = (path: string): string => `${path}/calendar.ics`;

/** Appends the parameters that have a value to a path. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
