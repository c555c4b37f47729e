/** A slug as a parameter, null for none. U+0000, which PostgreSQL refuses in a text, becomes a character that no slug has. */
export const slugFilter = (slug: string | undefined): string | null => slug?.replaceAll('\0', '\ufffd') ?? null;
