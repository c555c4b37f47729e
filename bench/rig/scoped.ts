/** Runs work that takes resources into use; they are let go in reverse order when it ends. (A declaration with `using` stops the check of directions.) */
export async function scoped<Result>(
  work: (use: <Held extends AsyncDisposable>(resource: Held) => Held) => Promise<Result>,
): Promise<Result> {
  const stack = new AsyncDisposableStack();
  try {
    return await work((resource) => stack.use(resource));
  } finally {
    await stack.disposeAsync();
  }
}
