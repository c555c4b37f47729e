import type { OperationObject } from '../openapi.ts';
import { fence } from './schema-text.ts';

/** A request with the example values of the document. */
interface Sample {
  readonly method: string;
  readonly url: string;
  /** Headers other than the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly needsKey: boolean;
  /** JSON text. */
  readonly body: string | null;
}

function buildSample(baseUrl: string, path: string, method: string, operation: OperationObject): Sample {
  const withExample = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
  const filled = withExample
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = new URLSearchParams();
  for (const { name, example, in: place } of withExample) if (place === 'query') query.set(name, String(example));
  const body = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})[0]?.value;
  const own = withExample
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, example }) => [name, String(example)]);
  return {
    method: method.toUpperCase(),
    url: `${baseUrl}${filled}${query.size === 0 ? '' : `?${query.toString()}`}`,
    headers: Object.fromEntries([
      ...own,
      ...(body === undefined ? [] : [['Content-Type', 'application/json']]),
    ]) as Record<string, string>,
    needsKey: operation.security.length > 0,
    body: body === undefined ? null : JSON.stringify(body),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const writeCurl = ({ method, url, headers, needsKey, body }: Sample): string =>
  [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(needsKey ? [`-H "Authorization: Bearer $CIVIC_API_KEY"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');

/** JSON strings are valid Python strings. */
function writePython({ method, url, headers, needsKey, body }: Sample): string {
  const headerLines = [
    ...(needsKey ? ['"Authorization": "Bearer " + os.environ["CIVIC_API_KEY"]'] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const callArguments = [
    `    ${JSON.stringify(url)},\n`,
    ...(method === 'GET' ? [] : [`    method=${JSON.stringify(method)},\n`]),
    ...(headerLines.length === 0 ? [] : [`    headers={${headerLines.join(', ')}},\n`]),
    ...(body === null ? [] : [`    data=${JSON.stringify(body)}.encode(),\n`]),
  ];
  return `import ${needsKey ? 'json, os, urllib.request' : 'json, urllib.request'}

request = urllib.request.Request(
${callArguments.join('')})
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))`;
}

function writeJavaScript({ method, url, headers, needsKey, body }: Sample): string {
  const headerLines = [
    ...(needsKey ? ['authorization: `Bearer ${process.env.CIVIC_API_KEY}`'] : []),
    ...Object.entries(headers).map(
      ([name, value]) => `${JSON.stringify(name.toLowerCase())}: ${JSON.stringify(value)}`,
    ),
  ];
  const callArguments = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},\n`]),
    ...(headerLines.length === 0 ? [] : [`  headers: { ${headerLines.join(', ')} },\n`]),
    ...(body === null ? [] : [`  body: ${JSON.stringify(body)},\n`]),
  ];
  const options = callArguments.length === 0 ? '' : `, {\n${callArguments.join('')}}`;
  return `const answer = await fetch(${JSON.stringify(url)}${options});\nconsole.log(await answer.json());`;
}

const PRINTERS = { sh: writeCurl, python: writePython, js: writeJavaScript } as const;
export type SampleLanguage = keyof typeof PRINTERS;
export const SAMPLE_LANGUAGES = Object.keys(PRINTERS) as readonly SampleLanguage[];

/**
 * Returns the request as code in each of these languages. The code reads the key from `CIVIC_API_KEY` in the
 * environment.
 */
export function samples(
  languages: readonly SampleLanguage[],
  ...request: readonly [baseUrl: string, path: string, method: string, operation: OperationObject]
): readonly string[] {
  const sample = buildSample(...request);
  return languages.map((language) => fence(language, PRINTERS[language](sample)));
}
