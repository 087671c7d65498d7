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
/** Programs whose file's name says too little beside others. */
const names = {
  'control-plane/cli/switchyard.ts': 'switchyard',
  'runner/src/main.ts': 'runner',
  'runner/src/egress/main.ts': 'egress-proxy',
};
/** Parts of the Docker client for daemons on other machines, whose folders an agent could not use. */
const unusedPackages = ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'];
/**
 * The commit stands in a file of its own, so that it is in no other file's name: a service that runs while
 * the same sources are built of another commit still finds the parts that it has not loaded yet.
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
    // Native code is installed beside the bundle.
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
      // Logs and stack traces name classes and functions.
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
 * Node keeps the text of a program in memory: with one letter beyond Latin-1 at two bytes a
 * character. Such letters stand in literals only, where they can be written as escapes.
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

/** An unused package is empty; whoever calls it gets a TypeError that names what is missing. */
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
