import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Drawn diagrams, each under a name that follows from its source. */
export const DIAGRAMS_FOLDER = join(import.meta.dirname, 'diagrams');

/** Every mermaid block of the pages, once. */
export function diagramsOf(pages: readonly { text: string }[]): { name: string; source: string }[] {
  const sources = pages.flatMap(({ text }) =>
    [...text.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(([, source = '']) => source),
  );
  return [...new Set(sources)].map((source) => ({ name: diagramName(source), source }));
}

/**
 * The drawing of a mermaid block as SVG. Throws when the block has changed since it was drawn, with
 * the command that draws it.
 */
export function drawnDiagram(source: string): string {
  const path = join(DIAGRAMS_FOLDER, `${diagramName(source)}.svg`);
  if (!existsSync(path)) {
    const [first = ''] = source.split('\n');
    throw new Error(
      `a mermaid block ("${first}…") is not drawn as it stands: run npm run docs:diagrams, which needs Chromium, and commit docs/site/diagrams`,
    );
  }
  return readFileSync(path, 'utf8').trim();
}

function diagramName(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 12);
}
