export const isPostgresDsn = (dsn: string): boolean => URL.canParse(dsn) && /^postgres(ql)?:$/.test(new URL(dsn).protocol);

/** Where a DSN points, in a form that may be shown: without user, password and parameters. */
export const shownDsn = (dsn: string): string => {
  const url = new URL(dsn);
  return `${decodeURIComponent(url.hostname)}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`;
};
