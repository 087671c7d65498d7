import { isAbsolute, relative } from 'node:path';
import type { Plugin } from 'vite';

/** Not handed out: only the package's build reads it. */
const LIST = '.packages.json';

/**
 * Lists the packages of which something is bundled, as their folders in the checkout. The list stands
 * beside the built files; `root` is the checkout. One plugin for the pages and one for the workers, whose
 * bundles are made first.
 */
export function listPackages(root: string): { pages: Plugin; workers: Plugin } {
  const folders = new Set<string>();
  const collect = (moduleIds: readonly string[]): void => {
    for (const id of moduleIds) {
      const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
      if (folder !== undefined && isAbsolute(folder)) folders.add(relative(root, folder));
    }
  };
  const plugin = ({ name, isLast }: { name: string; isLast: boolean }): Plugin => ({
    name,
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') collect(Object.keys(file.modules));
      }
      if (!isLast) return;
      this.emitFile({
        type: 'asset',
        fileName: LIST,
        source: JSON.stringify([...folders].toSorted()),
      });
    },
  });
  return {
    pages: plugin({ name: 'list-packages', isLast: true }),
    workers: plugin({ name: 'list-packages-of-workers', isLast: false }),
  };
}
