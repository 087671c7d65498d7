import { createHash } from 'node:crypto';
import { drawnDiagram } from '../diagrams.ts';
import { apiSidebar, pageSidebar } from '../sidebar.ts';

/** Files opened without a server get working links and pictures: pages name them from the root. */
const FILE_LINKS = `if(location.protocol==='file:')addEventListener('DOMContentLoaded',()=>{
const root=document.querySelector('meta[name=site-root]').content;
for(const name of ['href','src'])for(const each of document.querySelectorAll('['+name+'^="/"]'))
each.setAttribute(name,root+each.getAttribute(name).slice(1).replace(/(^|\\/)(?=#|$)/,'$1index.html'))})`;

const base = process.env['DOCS_BASE'] ?? '/';

type Token = { info: string; content: string };
/** What the generator hands over of its Markdown renderer. */
type Markdown = {
  renderer: { rules: Record<string, (tokens: Token[], at: number, ...rest: unknown[]) => string> };
  utils: { escapeHtml(text: string): string };
};

// A plain object: types of the generator are there only once it is installed.
export default {
  title: 'Switchyard',
  description: 'From an issue to a reviewed pull request, on machines you own',
  lang: 'en',
  srcDir: 'dist/pages',
  outDir: 'dist/html',
  cacheDir: 'dist/cache',
  base,
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: `${base}favicon.svg` }],
    ['script', {}, FILE_LINKS],
  ],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Setup', link: '/setup' },
      { text: 'For agents', link: '/agents' },
      { text: 'API', link: '/api/' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: { '/api/': await apiSidebar(), '/': await pageSidebar() },
  },
  markdown: {
    languageAlias: { caddyfile: 'nginx' },
    config: (markdown: Markdown) => {
      const { rules } = markdown.renderer;
      const fence = rules['fence']?.bind(rules);
      rules['fence'] = (tokens, at, ...rest) => {
        const token = tokens[at];
        if (token?.info.trim() !== 'mermaid') return fence?.(tokens, at, ...rest) ?? '';
        const svg = markdown.utils.escapeHtml(JSON.stringify(drawnDiagram(token.content)));
        return `<figure class="diagram" v-html="${svg}"></figure>`;
      };
    },
  },
  transformHtml: (html: string, _path: string, { page }: { page: string }) => {
    const root = '../'.repeat(page.split('/').length - 1) || './';
    const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
    const hashes = scripts.map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ');
    const metas = `<meta name="site-root" content="${root}"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
    return html.replace(/<meta charset="utf-8">/, (charset) => `${charset}${metas}`);
  },
};
