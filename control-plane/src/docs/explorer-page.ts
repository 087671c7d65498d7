/** Scripts only from here; the explorer's own element sets styles inside its shadow root. */
export const EXPLORER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The script is a static file of the dashboard's build, so nothing comes from another origin. */
export const EXPLORER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Switchyard API</title>
    <link rel="icon" href="/favicon.svg" />
    <script type="module" src="/explorer/explorer.js"></script>
  </head>
  <body>
    <noscript>
      The explorer needs JavaScript; <a href="/api/v1/openapi.json">the document</a> does not.
    </noscript>
    <openapi-explorer
      spec-url="/api/v1/openapi.json"
      hide-server-selection="true"
      schema-style="tree"
      nav-item-spacing="compact"
    ></openapi-explorer>
  </body>
</html>
`;
