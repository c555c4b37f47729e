/* global SwaggerUIBundle -- loaded before this file */

// Follows the reader's choice of a light or dark page.
const dark = matchMedia('(prefers-color-scheme: dark)');
const shade = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', shade);
shade();

const textOf = (value) => (value === undefined || typeof value === 'string' ? value : JSON.stringify(value.toJS()));
const partsOf = (request) => ({
  url: JSON.stringify(request.get('url')),
  method: request.get('method').toUpperCase(),
  headers: Object.fromEntries(request.get('headers') ?? []),
  body: textOf(request.get('body')),
});

/** JSON strings are strings of Python, too. */
function asPython(request) {
  const { url, method, headers, body } = partsOf(request);
  const data = body === undefined ? '' : `    data=${JSON.stringify(body)}.encode(),\n`;
  return `import urllib.request

request = urllib.request.Request(
    ${url},
    method="${method}",
    headers=${JSON.stringify(headers)},
${data})
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())`;
}

function asJavaScript(request) {
  const { url, ...options } = partsOf(request);
  return `const answer = await fetch(${url}, ${JSON.stringify(options, null, 2)});\nconsole.log(await answer.json());`;
}

// No outside validator, and a key lives as long as the page.
window.ui = SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [{ fn: { requestSnippetGenerator_python: asPython, requestSnippetGenerator_javascript: asJavaScript } }],
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      python: { title: 'Python', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
    },
    defaultExpanded: true,
  },
});
