import { dirname, relative, resolve, sep } from 'node:path';
import { RolldownMagicString } from 'rolldown';

const url = /new URL\(\s*'(\.{1,2}\/[^']*)',\s*import\.meta\.url\s*,?\s*\)/g;

/**
 * Lets bundled code find its files. In a source file, `new URL('./x.ts', import.meta.url)` names a
 * program that runs in its own process or thread: it becomes an entry of the bundle. Any other
 * relative URL names a file of the package, which has the same place as in the checkout.
 *
 * @param {string} root absolute path of the checkout
 * @param {(path: string) => string} nameOf name of a program in `lib/`, by its path in the checkout
 */
export function programUrls(root, nameOf) {
  const emitted = new Set();
  return {
    name: 'program-urls',
    buildStart: () => emitted.clear(),
    transform: {
      filter: { id: /\.ts$/, code: /new URL\(\s*'\./ },
      handler(code, id) {
        if (id.includes('node_modules')) return null;
        const text = new RolldownMagicString(code);
        for (const found of code.matchAll(url)) {
          const target = resolve(dirname(id), found[1]);
          const path = relative(root, target).split(sep).join('/');
          const program = path.endsWith('.ts') ? nameOf(path) : null;
          if (program !== null && !emitted.has(program)) {
            emitted.add(program);
            this.emitFile({ type: 'chunk', id: target, fileName: `lib/${program}.js` });
          }
          const folder = found[1].endsWith('/') && path !== '' ? '/' : '';
          const place = program === null ? `${path}${folder}` : `lib/${program}.js`;
          text.overwrite(
            found.index,
            found.index + found[0].length,
            `new URL('../${place}', import.meta.url)`,
          );
        }
        return {
          code: text.toString(),
          map: text.generateMap({ source: id, hires: 'boundary' }).toString(),
        };
      },
    },
  };
}
