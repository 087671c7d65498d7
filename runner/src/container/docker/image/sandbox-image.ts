import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder with the image's Dockerfile, shim.c and pins.json. */
export const sandboxFolder = fileURLToPath(new URL('../sandbox/', import.meta.url));

/** Files that decide what is in the image, and so its default tag. */
const ingredients = ['Dockerfile', 'shim.c', 'pins.json'];

/**
 * The tag that `runner build-image` makes and the runner uses when none is configured. It names
 * the content: whoever changes the Dockerfile, the shim or a pinned version gets another tag.
 */
export const defaultSandboxImage = `switchyard-sandbox:${contentHash()}`;

/** The version of the default engine that our own image gets. */
export function pinnedEngineVersion(): string {
  const pins: { engine: { x64: { package: string } } } = JSON.parse(
    readFileSync(join(sandboxFolder, 'pins.json'), 'utf8'),
  );
  return /@(\d+\.\d+\.\d+)/.exec(pins.engine.x64.package)?.[1] ?? 'unknown';
}

function contentHash(): string {
  const hash = createHash('sha256');
  for (const name of ingredients) {
    const content = readFileSync(new URL(name, new URL('../sandbox/', import.meta.url)));
    hash.update(`${name} ${content.byteLength}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}
