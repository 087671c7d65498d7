import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder with the image's Dockerfile, shim.c and pins.json. */
export const sandboxFolder = fileURLToPath(new URL('../sandbox/', import.meta.url));

/** Files that determine the image's content, and so its default tag. */
const ingredients = ['Dockerfile', 'shim.c', 'pins.json'];

/**
 * The tag of `runner build-image`, used when none is configured. It is derived from the content: a
 * change of the Dockerfile, the shim or a pinned version gives another tag.
 */
export const defaultSandboxImage = `switchyard-sandbox:${contentHash()}`;

function contentHash(): string {
  const hash = createHash('sha256');
  for (const name of ingredients) {
    const content = readFileSync(new URL(name, new URL('../sandbox/', import.meta.url)));
    hash.update(`${name} ${content.byteLength}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}
