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
    <style>
      /* Its own colours are too faint for small letters. */
      openapi-explorer {
        --blue: #0b66a8;
        --green: #1a7434;
        --orange: #a34a08;
        --purple: #7a3ea8;
        --red: #b3261e;
        --light-fg: #666;
      }
      openapi-explorer::part(btn-fill) {
        background: #0a5896;
        color: #fff;
      }
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
      primary-color="#0a5896"
      secondary-color="#ffd470"
      nav-bg-color="#24384a"
      nav-text-color="#dde6ec"
    ></openapi-explorer>
  </body>
</html>
`;
