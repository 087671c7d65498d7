/**
 * The Worker's binding ASSETS on this machine: serves files of the dashboard with their types. Runs
 * in workerd, whose own service for folders sends no types and lists folders.
 */
const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};

export default {
  /**
   * @param {Request} request
   * @param {{ FILES: { fetch(url: URL, init: { method: string }): Promise<Response> } }} env
   */
  async fetch(request, env) {
    const url = new URL(request.url);
    if (url.pathname.endsWith('/')) url.pathname += 'index.html';
    const ending = /\.([a-z0-9]+)$/.exec(url.pathname)?.[1] ?? '';
    const type = Object.entries(TYPES).find(([name]) => name === ending)?.[1];
    if (type === undefined) return new Response(null, { status: 404 });
    const file = await env.FILES.fetch(url, { method: request.method });
    if (!file.ok) return new Response(null, { status: 404 });
    return new Response(file.body, { headers: { 'Content-Type': type } });
  },
};
