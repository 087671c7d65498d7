import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const FOLDERS = ['assets', 'explorer'];
const COMPRESSIBLE = /\.(?:js|css|svg)$/;
/** Below this, the answer's head is most of it. */
const MIN_BYTES = 1_024;

/**
 * Puts compressed copies beside the built files, as the service hands them out. By gzip: browsers
 * take nothing newer without TLS, and it costs a build the least.
 */
export function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    writeBundle({ dir: outDir = '' }) {
      for (const path of FOLDERS.flatMap((folder) => filesIn(join(outDir, folder)))) {
        const content = readFileSync(path);
        if (content.length < MIN_BYTES) continue;
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => COMPRESSIBLE.test(name))
    .map((name) => join(folder, name));
}
