import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../http/bindings.ts';
import { staticRoutes } from './static-routes.ts';

const PAGE = '<!doctype html><title>The page</title>';
const SCRIPT = 'export const words = "many of them";\n';

describe('the built dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'swy-static-'));
  const app = new OpenAPIHono<HttpEnv>();
  beforeAll(() => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'assets', 'index-abc.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(SCRIPT));
    staticRoutes(app, folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps for good what is named after its content, and asks again for the page', async () => {
    const script = await app.request('/assets/index-abc.js');
    expect(await script.text()).toBe(SCRIPT);
    expect(script.headers.get('Cache-Control')).toContain('immutable');
    for (const path of ['/', '/issues/SY-1']) {
      const page = await app.request(path);
      expect(await page.text()).toBe(PAGE);
      expect(page.headers.get('Cache-Control')).toBe('no-cache');
    }
  });

  it('is handed out compressed to who takes that', async () => {
    const headers = { 'Accept-Encoding': 'gzip, br' };
    const script = await app.request('/assets/index-abc.js', { headers });
    expect(script.headers.get('Content-Encoding')).toBe('gzip');
    expect(script.headers.get('Content-Type')).toContain('javascript');
    expect(Buffer.from(await script.arrayBuffer())).toEqual(gzipSync(SCRIPT));
  });

  it('is no page where a file or an answer of the API is missing', async () => {
    for (const path of ['/assets/gone.js', '/api/v1/nothing']) {
      expect((await app.request(path)).status).toBe(404);
    }
  });
});
