/** A slug to look for, null for none. U+0000, which PostgreSQL takes in no text, becomes a character that no slug has. */
export const slugFilter = (slug: string | undefined): string | null => slug?.replaceAll('\0', '\ufffd') ?? null;
