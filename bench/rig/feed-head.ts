interface Page {
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/** Returns the cursor at the head of the feed. */
export async function headCursor(url: string, key: string): Promise<string> {
  let path = '/api/v1/data/changes?limit=500';
  for (;;) {
    const { meta } = (await (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json()) as Page;
    if (!meta.hasMore) return meta.nextCursor;
    path = `/api/v1/data/changes?limit=500&cursor=${meta.nextCursor}`;
  }
}
