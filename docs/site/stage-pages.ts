import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ROOT, type Page } from './read-pages.ts';

/**
 * Writes all pages into the folder that the generator reads, with links between files of the
 * checkout turned into links between pages of the site. Answers the other files that pages link to,
 * as paths in the checkout by their paths in the site. Throws with every link that leads nowhere.
 */
export async function stagePages(
  folder: string,
  { written, made }: { written: readonly Page[]; made: readonly { path: string; text: string }[] },
): Promise<Map<string, string>> {
  const places = new Map(written.map(({ source, path }) => [source, path]));
  const files = new Map<string, string>();
  const dead: string[] = [];
  const linked = written.map(({ source, path, text }) => ({
    path,
    text: text.replaceAll(LINK, (whole: string, to: string, hash = '') => {
      const target = posix.join(posix.dirname(source), to);
      const place = places.get(target) ?? (isPicture(target) ? target.replace('docs/', '') : null);
      if (place !== null) {
        const relative = posix.relative(posix.dirname(path), place);
        return `](${relative.startsWith('.') ? relative : `./${relative}`}${hash})`;
      }
      if (!isFile(target)) {
        dead.push(`${source}: ${to}`);
        return whole;
      }
      const file = target.startsWith('docs/') ? target.slice('docs/'.length) : `files/${target}`;
      // Servers and the generator take a name without an extension for a page.
      const named = posix.extname(file) === '' ? `${file}.txt` : file;
      files.set(named, target);
      return `](/${named})`;
    }),
  }));
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`);
  await rm(folder, { recursive: true, force: true });
  for (const { path, text } of [...linked, ...made]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await cp(join(ROOT, 'docs/images'), join(folder, 'images'), { recursive: true });
  return files;
}

/** The target of a link within the checkout, its anchor apart. */
const LINK = /\]\((?![a-z]+:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g;

function isPicture(target: string): boolean {
  return target.startsWith('docs/images/') && isFile(target);
}

function isFile(target: string): boolean {
  const path = join(ROOT, target);
  return !target.startsWith('..') && existsSync(path) && statSync(path).isFile();
}
