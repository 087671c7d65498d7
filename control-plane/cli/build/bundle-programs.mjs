import { basename } from 'node:path';
import { rolldown } from 'rolldown';
import { writeCommit } from './build-commit.mjs';
import { englishOnly } from './english-only.mjs';
import { programUrls } from './program-urls.mjs';

const entries = {
  'bin/switchyard': 'control-plane/cli/launch.ts',
  'lib/switchyard': 'control-plane/cli/switchyard.ts',
  'lib/runner': 'runner/src/main.ts',
};
/** Output names of programs whose file name is ambiguous beside others. */
const names = {
  'control-plane/cli/switchyard.ts': 'switchyard',
  'runner/src/main.ts': 'runner',
  'runner/src/egress/main.ts': 'egress-proxy',
};
/** Parts of the Docker client for remote daemons, whose folders an agent could not use. */
const unusedPackages = ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'];
/**
 * The commit is in a file of its own, so that it affects no other file's name: a running service
 * still finds the parts it has not loaded yet when the same sources are rebuilt at another commit.
 */
const commitModule = 'switchyard:commit';

/**
 * Bundles the command line, the runner and every program that they start into `folder`: `bin/` and
 * `lib/`, with source maps.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path of the package's folder
 * @param {string} commit see buildCommit
 * @returns {Promise<string[]>} paths of all bundled modules
 */
export async function bundlePrograms(root, folder, commit) {
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    // Native code cannot be bundled and is installed beside the bundle.
    external: ['libsql', commitModule],
    transform: { inject: { SWITCHYARD_COMMIT: [commitModule, 'commit'] } },
    plugins: [
      programUrls(root, (path) => names[path] ?? basename(path, '.ts')),
      withoutUnused(),
      englishOnly(),
      asciiOnly(),
    ],
    onLog(level, log, report) {
      if (level === 'warn') throw new Error(log.message);
      report(level, log);
    },
  });
  try {
    const { output } = await bundle.write({
      dir: folder,
      format: 'esm',
      sourcemap: true,
      comments: false,
      minify: true,
      // Logs and stack traces contain names of classes and functions.
      keepNames: true,
      entryFileNames: ({ name }) => (name.startsWith('bin/') ? '[name].mjs' : '[name].js'),
      chunkFileNames: 'lib/[name]-[hash].js',
      paths: { [commitModule]: '../lib/commit.js' },
    });
    writeCommit(folder, commit);
    return output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  } finally {
    await bundle.close();
  }
}

/**
 * Escapes characters beyond ASCII. Node keeps a program's text in memory, with two bytes per
 * character once one is beyond Latin-1. Such characters occur only in literals, where escapes are
 * possible.
 */
function asciiOnly() {
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
      }
    },
  };
}

/**
 * Replaces each unused package by an empty module, so that a call of its functions throws a
 * TypeError.
 */
function withoutUnused() {
  return {
    name: 'without-unused',
    resolveId: {
      filter: { id: new RegExp(`^(${unusedPackages.join('|')})$`) },
      handler: (id) => `\0unused:${id}`,
    },
    load: { filter: { id: /^\0unused:/ }, handler: () => 'export {};' },
  };
}
