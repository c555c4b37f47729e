/** A method of a path with `{name}` for each parameter. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The methods that the path of a request target has, none where no route has this path. */
export const allowedMethods = (routes: readonly Route[], target: string): readonly string[] => {
  const segments = target.split(/[?#]/, 1)[0]!.split('/').map(decoded);
  const fits = (path: string): boolean => {
    const parts = path.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''))
    );
  };
  return routes.filter(({ path }) => fits(path)).map(({ method }) => method);
};
