/** Whether the header of a conditional request names the entity tag, by weak comparison (RFC 9110, 13.1.2). `etag` is a strong one. */
export const namesTag = (header: string, etag: string): boolean =>
  header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag === etag || tag === `W/${etag}`);
