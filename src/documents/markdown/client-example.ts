import type { OperationObject } from '../document-types.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A line of `curl` that asks the operation with the document's own example values; the key stands in `$CIVIC_KEY`. */
export const curlExample = (baseUrl: string, path: string, method: string, operation: OperationObject): string => {
  const shown = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
  const filled = shown
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = new URLSearchParams();
  for (const { name, example, in: place } of shown) if (place === 'query') query.set(name, String(example));
  const target = `${baseUrl}${filled}${query.size === 0 ? '' : `?${query.toString()}`}`;
  const body = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})[0]?.value;
  return [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(target)}`,
    ...(operation.security.length === 0 ? [] : [`-H "Authorization: Bearer $CIVIC_KEY"`]),
    ...shown.filter((parameter) => parameter.in === 'header').map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
};
