const START_PATH = '/reference/start.js';
export const COMPONENT = { script: '/reference/swagger-ui.js', style: '/reference/swagger-ui.css', start: START_PATH } as const;

/** The page to try requests from. It loads nothing but what this service serves, which its content security policy enforces. */
export const referencePage = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${COMPONENT.style}">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript; the same is at <a href="/api-reference.md">/api-reference.md</a>.</noscript>
<script src="${COMPONENT.script}"></script>
<script src="${COMPONENT.start}"></script>
</body>
</html>
`;

/** Starts the component: no outside validator, and a key lives as long as the page. */
export const REFERENCE_START = `window.ui = SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

/** Inline styles and data images are the component's own; no other host is ever asked. */
export const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
