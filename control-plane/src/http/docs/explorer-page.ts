/** Allows only own scripts; the explorer's element sets styles inside its shadow root. */
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

/**
 * The page of the API explorer. Its script is a static file of the dashboard's build, so nothing is
 * loaded from another origin.
 */
export const EXPLORER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Switchyard API</title>
    <link rel="icon" href="/favicon.svg" />
    <style>
      h1 {
        position: absolute;
        width: 1px;
        height: 1px;
        margin: 0;
        overflow: hidden;
        clip-path: inset(50%);
      }
    </style>
    <script type="module" src="/explorer/explorer.js"></script>
  </head>
  <body>
    <noscript>
      The explorer needs JavaScript; <a href="/api/v1/openapi.json">the document</a> does not.
    </noscript>
    <header><h1>Switchyard API</h1></header>
    <openapi-explorer
      spec-url="/api/v1/openapi.json"
      hide-server-selection="true"
      schema-style="tree"
      nav-item-spacing="compact"
    >
      <p>
        The explorer is being loaded. If nothing follows, load the page again;
        <a href="/api/v1/openapi.json">the document</a> is there too.
      </p>
    </openapi-explorer>
  </body>
</html>
`;
