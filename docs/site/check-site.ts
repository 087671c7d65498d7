import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** What a page takes in by itself: scripts, styles, pictures, fonts. */
const TAKEN_IN = /<(?:script|img|link|source|iframe|video)\b[^>]*?\s(?:src|href)="([^"]*)"/g;
const FOREIGN_STYLE = /@import|url\(\s*["']?(?:https?:)?\/\//g;

/**
 * What is wrong with a built site, one line each: links and anchors that lead nowhere, and
 * anything that a page would load from elsewhere.
 */
export function siteProblems(folder: string, base: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder });
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map(
    [...texts].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decodeEntities(id))),
    ]),
  );
  const dead = [...texts].flatMap(([page, text]) => {
    const targets = new Set([...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, to]) => to));
    return [...targets].flatMap((target) => {
      const to = decodeEntities(target ?? '');
      if (to === '' || /^[a-z]+:/i.test(to)) return [];
      const [path = '', hash] = to.split('#');
      const file = path === '' ? page : fileOf(folder, page, path, base);
      if (file === null) return [`${page}: leads nowhere: ${to}`];
      if (!hash || !file.endsWith('.html') || anchors.get(file)?.has(decodeURIComponent(hash))) {
        return [];
      }
      return [`${page}: no such heading: ${to}`];
    });
  });
  const foreign = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(TAKEN_IN)]
      .filter(([, from = '']) => /^(?:[a-z]+:)?\/\//i.test(from))
      .map(([, from]) => `${page}: would load ${from}`),
  );
  const styles = globSync('**/*.css', { cwd: folder }).flatMap((sheet) =>
    [...readFileSync(join(folder, sheet), 'utf8').matchAll(FOREIGN_STYLE)].map(
      ([found]) => `${sheet}: would load from elsewhere: ${found}`,
    ),
  );
  return [...dead, ...foreign, ...styles].toSorted();
}

/** The file of the site that a path leads to, null for none. */
function fileOf(folder: string, page: string, path: string, base: string): string | null {
  const decoded = decodeURIComponent(path);
  if (decoded.startsWith('/') && !decoded.startsWith(base)) return null;
  const full = decoded.startsWith('/')
    ? decoded.slice(base.length)
    : posix.join(dirname(page), decoded);
  const candidates = [full, `${full}.html`, posix.join(full, 'index.html')];
  return candidates.find((each) => isFile(join(folder, each))) ?? null;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function decodeEntities(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
