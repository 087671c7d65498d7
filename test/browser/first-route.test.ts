import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';

const SCRIPT_MAX_BYTES = 94 * 1024;
/** Fetched with the first difference, beside the page. */
const COLOURS_MAX_BYTES = 80 * 1024;
const STYLE_MAX_BYTES = 20 * 1024;
const dist = join(repositoryRoot, 'dashboard', 'dist');

describe('what a browser loads before the first view', () => {
  let files: string[] = [];
  beforeAll(async () => {
    await builtDashboard();
    const page = readFileSync(join(dist, 'index.html'), 'utf8');
    files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
  });

  const gzippedBytes = (ending: string) =>
    files
      .filter((file) => file.endsWith(ending))
      .reduce(
        (sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length,
        0,
      );

  it('is little script', () => {
    expect(gzippedBytes('.js')).toBeGreaterThan(0);
    expect(gzippedBytes('.js')).toBeLessThanOrEqual(SCRIPT_MAX_BYTES);
  });

  it('are no colours of languages, and these are little too', () => {
    const all = readdirSync(join(dist, 'assets')).filter((name) => /^colour-.*\.js$/.test(name));
    expect(all).toHaveLength(1);
    const [worker = ''] = all;
    expect(files.join()).not.toContain(worker);
    const { length } = gzipSync(readFileSync(join(dist, 'assets', worker)), { level: 9 });
    expect(length).toBeLessThanOrEqual(COLOURS_MAX_BYTES);
  });

  it('is little style', () => {
    expect(gzippedBytes('.css')).toBeGreaterThan(0);
    expect(gzippedBytes('.css')).toBeLessThanOrEqual(STYLE_MAX_BYTES);
  });
});
