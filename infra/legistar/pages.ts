/** The service never returns more rows than this at once. */
export const PAGE = 1000;

/** Reads page after page until one is not full. `read` gets the number of rows to skip. */
export const everyPage = async (read: (skip: number) => Promise<readonly unknown[]>): Promise<readonly unknown[]> => {
  const rows: unknown[] = [];
  for (;;) {
    const page = await read(rows.length);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
};
