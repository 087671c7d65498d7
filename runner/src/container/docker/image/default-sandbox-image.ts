import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

function contentHash(): string {
  const hash = createHash('sha256');
  for (const name of ingredients) {
    const content = readFileSync(new URL(name, new URL('../sandbox/', import.meta.url)));
    hash.update(`${name} ${content.byteLength}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}
